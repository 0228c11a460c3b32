// The words of an error of a driver that is not there: see src/base/error_snapshot_test.cc.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_for_test.h"
#include "device/cuda.h"

namespace kw::device {
namespace {

TEST(ErrorSnapshot, Device) {
  EXPECT_THAT(
      open_cuda({.driver = "/nowhere/libcuda.so.1", .player = "/bin/true"}),
      IsErrorShownAs(
          ErrorCode::NoDevice,
          "/nowhere/libcuda.so.1: cannot open shared object file: No such file or directory"));
}

}  // namespace
}  // namespace kw::device
