// The words of an error of the workspace's database: see src/base/error_snapshot_test.cc.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error_for_test.h"
#include "store/test_store.h"

namespace kw::store {
namespace {

using StoreErrorSnapshot = StoreTest;

TEST_F(StoreErrorSnapshot, Store) {
  ASSERT_TRUE(RunStore::open(dir_.path(), disk_));
  execute("PRAGMA user_version = 9999");
  EXPECT_THAT(RunStore::open(dir_.path(), disk_),
              IsErrorShownAs(ErrorCode::NewerFormat,
                             database().string() +
                                 ": the workspace's database was written by a newer version of "
                                 "kernelwright (schema 9999, this program knows " +
                                 std::to_string(kSchemaVersion) +
                                 "); --workspace DIR keeps runs in another folder"));
}

}  // namespace
}  // namespace kw::store
