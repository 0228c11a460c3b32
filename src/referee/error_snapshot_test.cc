// The words of an error of a device that fails under a kernel: see src/base/error_snapshot_test.cc.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_for_test.h"
#include "referee/gpu_room_for_test.h"

namespace kw::referee {
namespace {

TEST(ErrorSnapshot, Referee) {
  testing::GpuRoom room;
  room.world.objects["candidate"].kernel = [&](const testing::Sets&) {
    room.world.has_failed = true;
    return device::CallResult{
        .fate = device::Fate::DeviceFault, .signal = 214, .detail = "an ECC error (error 214)"};
  };
  EXPECT_THAT(room.referee->judge(room.request),
              IsErrorShownAs(ErrorCode::DeviceFailed,
                             "Fake processor: the GPU failed under the candidate at workload "
                             "'tiny': an ECC error (error 214)"));
}

}  // namespace
}  // namespace kw::referee
