// Implements the queries of RunStore.
// SPDX-License-Identifier: Apache-2.0
#include "store/run_store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/json.h"
#include "base/text.h"
#include "record/codec.h"
#include "store/rows.h"

namespace kw::store {
namespace {

constexpr const char* kRunColumns =
    "id, name, state, config, attempts, best_attempt, best_speedup, is_confirmed, stopped_by, "
    "started_at, spent_ns, lost, "
    "(SELECT COUNT(*) FROM exchanges WHERE run = runs.id), "
    "(SELECT COALESCE(SUM(tokens), 0) FROM exchanges WHERE run = runs.id), "
    "(SELECT TOTAL(usd) FROM exchanges WHERE run = runs.id), "
    "(SELECT COUNT(*) FROM exchanges WHERE run = runs.id AND usd IS NULL)";

constexpr const char* kLockFile = "lock";
/// How long to wait for the lock of a run: others that only look whether it is held take it
/// briefly.
constexpr platform::Nanoseconds kGlance = std::chrono::milliseconds(200);

Result<RunSummary> read_run(SQLite::Statement& row) {
  RunSummary run;
  run.id = row.getColumn(0).getInt64();
  run.name = row.getColumn(1).getString();
  const std::string word = row.getColumn(2).getString();
  const auto state = word == "failed" ? RunState::Stopped  // the word that older programs wrote
                                      : enum_from<RunState>(word);
  if (!state)
    return fail(ErrorCode::Malformed, About{word},
                "the workspace's database holds a run whose state this program does not know",
                run.name, Advice::Stop);
  run.state = *state;
  run.config = KW_TRY(decode<RunConfig>(row.getColumn(3).getString()));
  run.attempts = row.getColumn(4).getInt64();
  run.best_attempt = row.getColumn(5).getInt();
  run.best_speedup = row.getColumn(6).getDouble();
  run.is_confirmed = row.getColumn(7).getInt() != 0;
  run.stopped_by = row.getColumn(8).getString();
  run.started_at = row.getColumn(9).getString();
  run.spent_ns = row.getColumn(10).getDouble();
  run.spent = KW_TRY(decode<Spending>(row.getColumn(11).getString()));
  run.spent.calls += row.getColumn(12).getInt64();
  run.spent.tokens += row.getColumn(13).getInt64();
  run.spent.usd += row.getColumn(14).getDouble();
  run.spent.unpriced += row.getColumn(15).getInt64();
  return run;
}

/// The part of `spent` that no stored exchange of the run accounts for.
Spending lost_of(SQLite::Database& db, std::int64_t run, Spending spent) {
  SQLite::Statement kept(db,
                         "SELECT COUNT(*), COALESCE(SUM(tokens), 0), TOTAL(usd), "
                         "COUNT(*) - COUNT(usd) FROM exchanges WHERE run = ?");
  kept.bind(1, run);
  kept.executeStep();
  spent.calls = std::max<std::int64_t>(0, spent.calls - kept.getColumn(0).getInt64());
  spent.tokens = std::max<std::int64_t>(0, spent.tokens - kept.getColumn(1).getInt64());
  spent.usd = std::max(0.0, spent.usd - kept.getColumn(2).getDouble());
  spent.unpriced = std::max<std::int64_t>(0, spent.unpriced - kept.getColumn(3).getInt64());
  return spent;
}

void write_standing(SQLite::Database& db, const RunSummary& run) {
  SQLite::Statement s(db,
                      "UPDATE runs SET state = ?, best_attempt = ?, best_speedup = ?, "
                      "is_confirmed = ?, stopped_by = ?, spent_ns = ?, lost = ? WHERE id = ?");
  s.bind(1, std::string(name_of(run.state)));
  s.bind(2, run.best_attempt);
  s.bind(3, run.best_speedup);
  s.bind(4, run.is_confirmed ? 1 : 0);
  s.bind(5, run.stopped_by);
  s.bind(6, run.spent_ns);
  s.bind(7, encode(lost_of(db, run.id, run.spent)));
  s.bind(8, run.id);
  s.exec();
}

/// Whether nothing is at `path`, not even a dangling link.
bool is_free(const platform::Path& path) {
  std::error_code ignored;
  return !std::filesystem::exists(std::filesystem::symlink_status(path, ignored));
}

}  // namespace

Result<RunStore> RunStore::open(const platform::Path& workspace, platform::Disk& disk) {
  return open_by(&Database::open, workspace, disk);
}

Result<RunStore> RunStore::open_to_read(const platform::Path& workspace, platform::Disk& disk) {
  return open_by(&Database::open_to_read, workspace, disk);
}

Result<RunStore> RunStore::open_by(decltype(&Database::open) open_database,
                                   const platform::Path& workspace, platform::Disk& disk) {
  const platform::Path root = workspace / "runs";
  Artifacts artifacts(disk, root / "artifacts");
  auto db = open_database(root / "kernelwright.sqlite", [&](SQLite::Database& open, int from) {
    constexpr int kWithoutWords = 4;
    if (from <= kWithoutWords) index_lessons(open, artifacts);
  });
  if (!db) {
    if (db.error().advice != Advice::Retry)
      db.error().what += "; --workspace DIR keeps runs in another folder";
    return std::unexpected(std::move(db.error()));
  }
  return RunStore(std::make_unique<Parts>(root, std::move(*db), std::move(artifacts)));
}

/// A run that nobody works on and whose state is still Running was killed, or could not store its
/// end.
void RunStore::settle_state(RunSummary& run) const {
  if (run.state != RunState::Running) return;
  const auto is_held = platform::FileLock::is_held(folder_of(run) / kLockFile);
  if (is_held && !*is_held) run.state = RunState::Stopped;
}

// An existing folder is never reused, even where the database that knew its run was lost: it holds
// a kernel and a certificate.
Result<RunSummary> RunStore::create(const RunConfig& config, const std::string& started_at) {
  RunSummary run;
  run.config = config;
  run.started_at = started_at;
  KW_TRY(parts_->db.write([&](SQLite::Database& db) {
    SQLite::Statement exists(db, "SELECT 1 FROM runs WHERE name = ?");
    for (int n = 1;; ++n) {
      run.name = config.task + "-" + std::to_string(n);
      exists.reset();
      exists.bind(1, run.name);
      if (!exists.executeStep() && is_free(folder_of(run))) break;
    }
    SQLite::Statement insert(
        db, "INSERT INTO runs(name, state, config, started_at) VALUES(?, ?, ?, ?)");
    insert.bind(1, run.name);
    insert.bind(2, std::string(name_of(run.state)));
    insert.bind(3, encode(config));
    insert.bind(4, started_at);
    insert.exec();
    run.id = db.getLastInsertRowid();
  }));
  KW_TRY(platform::make_dirs(folder_of(run)));
  return run;
}

Result<platform::FileLock> RunStore::lock(const RunSummary& run) const {
  KW_TRY(platform::make_dirs(folder_of(run)));  // the folder is missing if create() was killed
  const std::string owner =
      "kw at work on run " + run.name + " (pid " + std::to_string(::getpid()) + ")";
  auto held = platform::FileLock::acquire(folder_of(run) / kLockFile, owner, kGlance);
  if (!held) held.error().advice = Advice::Stop;
  return held;
}

Result<> RunStore::append(const RunSummary& run, const Attempt& attempt,
                          const std::vector<Lesson>& learnt,
                          const std::vector<Experience>& experience) {
  // The source is stored as an artifact: many attempts share one, and people look for it by name.
  Attempt body = attempt;
  body.candidate.source.clear();
  const Sha256 source = KW_TRY(parts_->artifacts.put(attempt.candidate.source));
  const std::string packed = compress(encode(body));
  const std::string line = encode(line_of(attempt));
  const Codes codes = KW_TRY(codes_of(parts_->artifacts, learnt));
  return parts_->db.write([&](SQLite::Database& db) {
    SQLite::Statement insert(
        db,
        "INSERT INTO attempts(run, number, stage, outcome, class, reward, source, body, line) "
        "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)");
    const Verdict& verdict = attempt.evaluation.verdict;
    insert.bind(1, run.id);
    insert.bind(2, attempt.number);
    insert.bind(3, std::string(name_of(verdict.stage)));
    insert.bind(4, std::string(name_of(verdict.outcome)));
    insert.bind(5, std::string(name_of(attempt.outcome_class)));
    insert.bind(6, attempt.reward);
    insert.bind(7, source.hex());
    insert.bind(8, packed.data(), static_cast<int>(packed.size()));
    insert.bind(9, line);
    insert.exec();
    write_standing(db, run);
    SQLite::Statement count(db, "UPDATE runs SET attempts = attempts + 1 WHERE id = ?");
    count.bind(1, run.id);
    count.exec();
    keep_lessons(db, run.id, learnt, codes);
    keep_experience(db, experience);
  });
}

Result<> RunStore::update(const RunSummary& run) {
  return parts_->db.write([&](SQLite::Database& db) { write_standing(db, run); });
}

Result<std::vector<RunSummary>> RunStore::list() const {
  std::vector<RunSummary> runs;
  Result<> status;
  KW_TRY(parts_->db.read([&](SQLite::Database& db) {
    SQLite::Statement rows(db, std::string("SELECT ") + kRunColumns + " FROM runs ORDER BY id");
    while (status && rows.executeStep()) {
      auto run = read_run(rows);
      if (run)
        runs.push_back(std::move(*run));
      else
        status = std::unexpected(run.error());
    }
  }));
  KW_TRY(status);
  for (RunSummary& run : runs) settle_state(run);
  return runs;
}

Result<RunSummary> RunStore::find(const std::string& name) const {
  std::optional<Result<RunSummary>> found;
  std::vector<std::string> names;
  KW_TRY(parts_->db.read([&](SQLite::Database& db) {
    SQLite::Statement row(db, std::string("SELECT ") + kRunColumns + " FROM runs WHERE name = ?");
    row.bind(1, name);
    if (row.executeStep()) {
      found = read_run(row);
      return;
    }
    SQLite::Statement all(db, "SELECT name FROM runs ORDER BY id DESC LIMIT 1000");
    while (all.executeStep()) names.push_back(all.getColumn(0).getString());
  }));
  if (found) {
    RunSummary run = KW_TRY(std::move(*found));
    settle_state(run);
    return run;
  }
  return fail_input(ErrorCode::NotFound, About{name},
                    "no run named '" + name + "'" + suggestion(name, names), root().string());
}

}  // namespace kw::store
