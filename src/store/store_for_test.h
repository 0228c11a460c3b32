// Fixtures for tests that need a store: in a temporary folder, with its artifacts in memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <utility>

#include "platform/files.h"
#include "platform/memory_disk_for_test.h"
#include "store/run_store.h"

namespace kw::store {

/// Where a store can be opened.
class StoreFolder : public testing::Test {
 protected:
  platform::TempDir dir_ = std::move(platform::TempDir::create("kw-store").value());
  platform::MemoryDisk disk_;
};

/// The same with a store that is open.
class OpenStore : public StoreFolder {
 protected:
  RunStore store_ = RunStore::open(dir_.path(), disk_).value();
};

}  // namespace kw::store
