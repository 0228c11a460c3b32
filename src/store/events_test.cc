// Test of storing several events together.
// SPDX-License-Identifier: Apache-2.0
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include "base/error_for_test.h"
#include "platform/files.h"
#include "platform/memory_disk_for_test.h"
#include "store/run_store.h"

namespace kw::store {
namespace {

TEST(Events, OfOneCallAreKeptAllOrNone) {
  const auto dir = platform::TempDir::create("kw-events");
  ASSERT_TRUE(dir);
  platform::MemoryDisk disk;
  auto store = RunStore::open(dir->path(), disk);
  ASSERT_TRUE(store);
  RunConfig config;
  config.task = "a";
  const std::int64_t run = store->create(config, "").value().id;
  const std::vector<Event> both{{0, "order", 0, "first"}, {0, "order", 0, "second"}};
  SQLite::Database other((dir->path() / "runs" / "kernelwright.sqlite").string(),
                         SQLite::OPEN_READWRITE);
  other.exec(
      "CREATE TRIGGER refuse BEFORE INSERT ON events WHEN NEW.body = 'second' "
      "BEGIN SELECT RAISE(ABORT, 'refused'); END");
  EXPECT_THAT(store->events().append_all(run, both), IsError(ErrorCode::Io));
  EXPECT_TRUE(store->events().of(run).value().empty());
  other.exec("DROP TRIGGER refuse");
  ASSERT_TRUE(store->events().append_all(run, both));
  const auto kept = store->events().of(run).value();
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[1].number, 2);
  EXPECT_EQ(kept[1].body, "second");
}

}  // namespace
}  // namespace kw::store
