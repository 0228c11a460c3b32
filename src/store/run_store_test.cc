// Tests of the store: what was appended comes back, also after a failure of file, disk or schema.
// SPDX-License-Identifier: Apache-2.0
#include "store/run_store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include <barrier>
#include <chrono>
#include <filesystem>
#include <thread>

#include "base/error_for_test.h"
#include "platform/memory_disk_for_test.h"
#include "record/codec.h"
#include "store/test_store.h"

namespace kw::store {
namespace {

using testing::SizeIs;
using testing::StartsWith;

std::vector<Attempt> attempts_of(const RunStore& store, std::int64_t run) {
  std::vector<Attempt> attempts;
  EXPECT_TRUE(store.attempts().for_each(run, Sources::Load, [&](Attempt& a) -> Result<> {
    attempts.push_back(a);
    return {};
  }));
  return attempts;
}

std::vector<AttemptLine> lines_of(const RunStore& store, std::int64_t run) {
  std::vector<AttemptLine> lines;
  EXPECT_TRUE(
      store.attempts().for_each_line(run, [&](const AttemptLine& l) { lines.push_back(l); }));
  return lines;
}

// Two runs begin in one new folder; SQLite answers the slower one at once that it is busy.
TEST_F(StoreTest, ManyOpenTheSameNewStoreAtOnce) {
  for (int round = 0; round < 30; ++round) {
    const platform::Path folder = dir_.path() / std::to_string(round);
    std::barrier start(4);
    std::vector<Result<>> results(4);
    std::vector<std::jthread> openers;
    for (Result<>& result : results)
      openers.emplace_back([&] {
        platform::MemoryDisk disk;
        start.arrive_and_wait();
        const auto store = RunStore::open(folder, disk);
        if (!store) result = std::unexpected(store.error());
      });
    openers.clear();
    for (const Result<>& result : results) EXPECT_TRUE(result) << describe(result.error());
  }
}

TEST_F(StoreTest, GivesBackWhatWasAppended) {
  RunStore store = open();
  RunSummary run = store.create(config("saxpy"), "2026-01-02T03:04:05Z").value();
  EXPECT_EQ(run.name, "saxpy-1");
  const Attempt first = attempt(1, "one");
  run.best_speedup = 1.5;
  ASSERT_TRUE(store.append(run, first));
  ASSERT_TRUE(store.append(run, attempt(2, "two")));
  ASSERT_TRUE(store.events().append(run.id, {0, "confirm", 5, "{}"}));
  ASSERT_TRUE(store.events().append(run.id, {0, "note", 6, "{}"}));

  const auto attempts = attempts_of(store, run.id);
  ASSERT_THAT(attempts, SizeIs(2));
  EXPECT_EQ(encode(attempts[0]), encode(first));
  EXPECT_EQ(store.attempts().get(run.id, 2)->candidate.source, "two");
  const auto events = store.events().of(run.id).value();
  ASSERT_THAT(events, SizeIs(2));
  EXPECT_EQ(events[1].number, 2);
  EXPECT_EQ(events[1].kind, "note");
  const auto notes = store.events().of(run.id, "note").value();
  ASSERT_THAT(notes, SizeIs(1));
  EXPECT_EQ(notes[0].number, 2);
  EXPECT_THAT(store.events().of(run.id, "note", 2).value(), SizeIs(0));
  const RunSummary found = store.find("saxpy-1").value();
  EXPECT_EQ(found.attempts, 2);
  EXPECT_EQ(found.best_speedup, 1.5);
  EXPECT_EQ(found.config.seed, 7u);
  EXPECT_EQ(found.started_at, "2026-01-02T03:04:05Z");
}

TEST_F(StoreTest, SurvivesReopening) {
  std::int64_t id = 0;
  {
    RunStore store = open();
    RunSummary run = store.create(config("saxpy"), "").value();
    id = run.id;
    ASSERT_TRUE(store.append(run, attempt(1, "source")));
    run.state = RunState::Interrupted;
    run.stopped_by = "interrupted";
    ASSERT_TRUE(store.update(run));
  }
  const RunStore store = open();
  ASSERT_THAT(store.list().value(), SizeIs(1));
  EXPECT_EQ(store.list()->front().state, RunState::Interrupted);
  EXPECT_EQ(attempts_of(store, id).front().candidate.source, "source");
}

TEST_F(StoreTest, AWalkEndsAtTheFirstError) {
  RunStore store = open();
  const RunSummary run = store.create(config("saxpy"), "").value();
  for (int n = 1; n <= 3; ++n) ASSERT_TRUE(store.append(run, attempt(n, "source")));
  int seen = 0;
  const auto walked =
      store.attempts().for_each(run.id, Sources::LeaveOut, [&](Attempt& a) -> Result<> {
        EXPECT_EQ(a.candidate.source, "");
        EXPECT_EQ(a.number, ++seen);
        if (a.number == 2) return fail(ErrorCode::Cancelled, About{"2"}, "enough");
        return {};
      });
  EXPECT_THAT(walked, IsErrorAbout(ErrorCode::Cancelled, "2"));
  EXPECT_EQ(seen, 2);
}

TEST_F(StoreTest, LinesSayTheSameAsTheirAttempts) {
  RunStore store = open();
  const RunSummary run = store.create(config("saxpy"), "").value();
  const Attempt first = attempt(1, "one");
  ASSERT_TRUE(store.append(run, first));
  // Leaves the row as a program of schema 1 did, so that its line is made from the body.
  back_to_schema_2();
  execute("ALTER TABLE attempts DROP COLUMN line; PRAGMA user_version = 1");
  RunStore migrated = open();
  ASSERT_TRUE(migrated.append(run, attempt(2, "two")));
  const auto lines = lines_of(migrated, run.id);
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(encode(lines[0]), encode(line_of(first)));
  EXPECT_EQ(encode(lines[1]), encode(line_of(attempt(2, "two"))));
}

Exchange exchange(const std::string& key, std::optional<double> usd) {
  Exchange e;
  e.key = key;
  e.model = "openai:m";
  e.scope = "attempt 1";
  e.request.messages = {{ChatRole::User, "write"}};
  e.reply.text = "code";
  e.reply.usage = {100, 0, 0, 20, false};
  e.reply.cost_usd = usd;
  return e;
}

TEST_F(StoreTest, ExchangesComeBackByKeyAndInOrder) {
  RunStore store = open();
  const RunSummary one = store.create(config("a"), "").value();
  const RunSummary two = store.create(config("a"), "").value();
  EXPECT_EQ(store.exchanges().find(one.id, "b").value(), std::nullopt);
  for (const char* key : {"b", "a"})
    ASSERT_TRUE(store.exchanges().keep(one.id, exchange(key, 0.5)));
  EXPECT_EQ(encode(*store.exchanges().find(one.id, "b").value()), encode(exchange("b", 0.5)));
  EXPECT_EQ(store.exchanges().find(two.id, "b").value(), std::nullopt) << "of another run";
  std::string order;
  ASSERT_TRUE(store.exchanges().for_each(one.id, [&](Exchange& e) -> Result<> {
    order += e.key;
    return {};
  }));
  EXPECT_EQ(order, "ba");
  ASSERT_TRUE(store.exchanges().keep(one.id, exchange("b", 7)));
  EXPECT_EQ(store.exchanges().find(one.id, "b").value()->reply.cost_usd, 0.5)
      << "the first one stays";
}

TEST_F(StoreTest, SpendingIsWhatExchangesAndLostTriesCost) {
  RunStore store = open();
  RunSummary run = store.create(config("a"), "").value();
  ASSERT_TRUE(store.exchanges().keep(run.id, exchange("a", 0.5)));
  ASSERT_TRUE(store.exchanges().keep(run.id, exchange("b", std::nullopt)));
  const auto spent = [&] { return store.find(run.name)->spent; };
  EXPECT_EQ(encode(spent()), encode(Spending{0.5, 240, 2, 1}));
  // Two requests to the model failed meanwhile, and one of them was charged.
  run.spent = {0.75, 300, 4, 1};
  ASSERT_TRUE(store.update(run));
  EXPECT_EQ(encode(spent()), encode(run.spent));
  // The reply to another request was stored just before the process was killed.
  ASSERT_TRUE(store.exchanges().keep(run.id, exchange("c", 0.25)));
  EXPECT_EQ(encode(spent()), encode(Spending{1, 420, 5, 1}));
}

TEST_F(StoreTest, ADatabaseOfSchema2KeepsItsRuns) {
  RunSummary run;
  {
    RunStore store = open();
    run = store.create(config("saxpy"), "then").value();
    run.best_speedup = 2;
    ASSERT_TRUE(store.append(run, attempt(1, "one")));
  }
  back_to_schema_2();
  RunStore migrated = open();
  const RunSummary found = migrated.find("saxpy-1").value();
  EXPECT_EQ(found.best_speedup, 2);
  EXPECT_EQ(encode(found.spent), encode(Spending{}));
  EXPECT_EQ(migrated.attempts().get(run.id, 1)->candidate.source, "one");
  ASSERT_TRUE(migrated.append(found, attempt(2, "two")));
  ASSERT_TRUE(migrated.exchanges().keep(run.id, exchange("a", 1)));
  EXPECT_EQ(migrated.find("saxpy-1")->spent.usd, 1);
}

TEST_F(StoreTest, AFolderOfALostDatabaseIsNobodyElses) {
  RunSummary lost;
  {
    RunStore store = open();
    lost = store.create(config("saxpy"), "").value();
    ASSERT_TRUE(
        platform::write_file_atomic(store.folder_of(lost) / "certificate.json", "{}", false));
  }
  for (const char* suffix : {"", "-wal", "-shm"})
    ASSERT_TRUE(platform::remove_tree(database().string() + suffix));
  const platform::Path runs = dir_.path() / "runs";
  ASSERT_TRUE(platform::write_file_atomic(runs / "saxpy-2", "a file", false));
  std::filesystem::create_symlink("nowhere", runs / "saxpy-3");
  RunStore store = open();
  EXPECT_EQ(store.create(config("saxpy"), "")->name, "saxpy-4");
  EXPECT_EQ(platform::read_file(store.folder_of(lost) / "certificate.json").value(), "{}");
  EXPECT_EQ(store.create(config("saxpy"), "")->name, "saxpy-5");
}

TEST_F(StoreTest, NumbersRunsByTask) {
  RunStore store = open();
  EXPECT_EQ(store.create(config("a"), "")->name, "a-1");
  EXPECT_EQ(store.create(config("b"), "")->name, "b-1");
  EXPECT_EQ(store.create(config("a"), "")->name, "a-2");
  EXPECT_THAT(store.find("a-3"), IsErrorAbout(ErrorCode::NotFound, "a-3"));
}

TEST_F(StoreTest, AnAttemptIsStoredOnce) {
  RunStore store = open();
  const RunSummary run = store.create(config("a"), "").value();
  ASSERT_TRUE(store.append(run, attempt(1, "x")));
  EXPECT_THAT(store.append(run, attempt(1, "x")), IsError(ErrorCode::Io));
  EXPECT_EQ(store.find("a-1")->attempts, 1) << "the failed transaction left nothing";
  EXPECT_THAT(store.attempts().get(run.id, 2), IsErrorAbout(ErrorCode::NotFound, "2"));
}

TEST_F(StoreTest, RemembersFacts) {
  RunStore store = open();
  EXPECT_EQ(store.facts().recall("device", "cpu").value(), std::nullopt);
  ASSERT_TRUE(store.facts().remember("device", "cpu", "one"));
  ASSERT_TRUE(store.facts().remember("device", "cpu", "two"));
  EXPECT_EQ(store.facts().recall("device", "cpu").value(), "two");
  EXPECT_EQ(store.facts().recall("baseline", "cpu").value(), std::nullopt);
  const auto more = [](const std::optional<std::string>& known) -> Result<std::string> {
    return known.value_or("") + " more";
  };
  ASSERT_TRUE(store.facts().revise("device", "cpu", more));
  EXPECT_EQ(store.facts().recall("device", "cpu").value(), "two more");
  ASSERT_TRUE(store.facts().revise("device", "cuda", more));
  EXPECT_EQ(store.facts().recall("device", "cuda").value(), " more");
  const auto refused =
      store.facts().revise("device", "cpu", [](const auto& known) -> Result<std::string> {
        return fail(ErrorCode::Malformed, About{*known}, "damaged");
      });
  EXPECT_THAT(refused, IsErrorAbout(ErrorCode::Malformed, "two more"));
  EXPECT_EQ(store.facts().recall("device", "cpu").value(), "two more");
}

TEST_F(StoreTest, ARunIsWorkedOnByOne) {
  RunStore store = open();
  const RunSummary run = store.create(config("a"), "").value();
  {
    const auto held = store.lock(run);
    ASSERT_TRUE(held);
    const auto second = store.lock(run);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().advice, Advice::Stop);
    EXPECT_THAT(second, IsErrorAbout(ErrorCode::Busy, StartsWith("kw at work on run a-1 (pid ")));
  }
  EXPECT_TRUE(store.lock(run));
}

TEST_F(StoreTest, LocksARunWhoseFolderWasNeverMade) {
  RunStore store = open();
  const RunSummary run = store.create(config("a"), "").value();
  ASSERT_TRUE(platform::remove_tree(store.folder_of(run)));
  EXPECT_TRUE(store.lock(run));
}

TEST_F(StoreTest, AFullDiskStopsAndLosesNothing) {
  RunStore store = open();
  const RunSummary run = store.create(config("a"), "").value();
  ASSERT_TRUE(store.append(run, attempt(1, "first")));
  disk_.set_capacity(0);
  const auto full = store.append(run, attempt(2, "second"));
  ASSERT_THAT(full, IsError(ErrorCode::NoSpace));
  EXPECT_EQ(full.error().advice, Advice::Stop);
  EXPECT_THAT(attempts_of(store, run.id), SizeIs(1)) << "no row names a missing artifact";
  disk_.set_capacity(1 << 20);
  EXPECT_TRUE(store.append(run, attempt(2, "second")));
}

TEST_F(StoreTest, EveryFailingDiskOperationLeavesAWholeStore) {
  for (int nth = 0; nth < 2; ++nth) {
    RunStore store = open();
    const RunSummary run = store.create(config("a"), "").value();
    disk_.fail_change(nth, EIO);
    const std::string source = "source " + std::to_string(nth);
    ASSERT_THAT(store.append(run, attempt(1, source)), IsError(ErrorCode::Io)) << nth;
    EXPECT_THAT(attempts_of(store, run.id), SizeIs(0));
    EXPECT_TRUE(store.append(run, attempt(1, source)));
    EXPECT_EQ(store.attempts().get(run.id, 1)->candidate.source, source);
  }
}

TEST_F(StoreTest, DamagedArtifactsAreNamed) {
  RunStore store = open();
  const Sha256 name = store.artifacts().put("precious").value();
  EXPECT_EQ(store.artifacts().get(name).value(), "precious");
  const std::string hex = name.hex();
  const platform::Path place =
      store.root() / "artifacts" / hex.substr(0, 2) / (hex.substr(2) + ".zst");
  ASSERT_TRUE(disk_.write(place, compress("forged")));
  EXPECT_THAT(store.artifacts().get(name), IsErrorAbout(ErrorCode::Malformed, hex));
  EXPECT_EQ(store.artifacts().get(name).error().where, place.string());
  ASSERT_TRUE(disk_.write(place, "garbage"));
  EXPECT_THAT(store.artifacts().get(name), IsErrorAbout(ErrorCode::Malformed, hex));
  disk_.lose(place);
  EXPECT_THAT(store.artifacts().get(name), IsError(ErrorCode::NotFound));
}

TEST_F(StoreTest, AnEmptyDatabaseIsMigrated) {
  ASSERT_TRUE(platform::make_dirs(database().parent_path()));
  execute("PRAGMA user_version = 0");
  RunStore store = open();
  EXPECT_TRUE(store.create(config("a"), ""));
  SQLite::Database db(database().string());
  EXPECT_EQ(db.execAndGet("PRAGMA user_version").getInt(), kSchemaVersion);
  EXPECT_EQ(db.execAndGet("PRAGMA journal_mode").getString(), "wal");
}

TEST_F(StoreTest, ANewerSchemaIsLeftAlone) {
  {
    RunStore store = open();
  }
  execute("PRAGMA user_version = " + std::to_string(kSchemaVersion + 1));
  const auto store = RunStore::open(dir_.path(), disk_);
  ASSERT_THAT(store,
              IsErrorAbout(ErrorCode::NewerFormat, "schema " + std::to_string(kSchemaVersion + 1)));
  EXPECT_EQ(store.error().advice, Advice::Stop);
  SQLite::Database db(database().string());
  EXPECT_EQ(db.execAndGet("PRAGMA user_version").getInt(), kSchemaVersion + 1);
}

TEST_F(StoreTest, CorruptFilesAreToldApart) {
  ASSERT_TRUE(platform::make_dirs(database().parent_path()));
  ASSERT_TRUE(platform::write_file_atomic(database(), std::string(4096, 'x'), false));
  const auto store = RunStore::open(dir_.path(), disk_);
  ASSERT_THAT(store, IsError(ErrorCode::Malformed));
  EXPECT_EQ(store.error().advice, Advice::Stop);
  EXPECT_EQ(store.error().where, database().string());
}

TEST_F(StoreTest, AnUnknownStateIsAnError) {
  RunStore store = open();
  ASSERT_TRUE(store.create(config("a"), ""));
  execute("UPDATE runs SET state = 'dreaming'");
  EXPECT_THAT(store.list(), IsErrorAbout(ErrorCode::Malformed, "dreaming"));
}

TEST_F(StoreTest, ManyAttemptsDoNotSlowTheList) {
  {
    RunStore store = open();
    ASSERT_TRUE(store.create(config("a"), ""));
  }
  execute(R"sql(
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
    INSERT INTO attempts SELECT 1, i, 'measure', 'correct', 'no_gain', 0,
      '0000000000000000000000000000000000000000000000000000000000000000', zeroblob(600), '' FROM n;
    UPDATE runs SET attempts = 100000;)sql");
  const auto started = std::chrono::steady_clock::now();
  const RunStore store = open();
  EXPECT_EQ(store.list()->front().attempts, 100'000);
  const std::chrono::duration<double, std::milli> spent =
      std::chrono::steady_clock::now() - started;
  RecordProperty("open_and_list_ms", std::to_string(spent.count()));
  std::printf("open and list with 10^5 attempts: %.1f ms\n", spent.count());
}

}  // namespace
}  // namespace kw::store
