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
#include "store/walk.h"

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
    return fail(ErrorCode::Malformed,
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

std::string blob(const SQLite::Column& column) {
  return {static_cast<const char*>(column.getBlob()), static_cast<std::size_t>(column.getBytes())};
}

void put_fact(SQLite::Database& db, const std::string& kind, const std::string& key,
              const std::string& body) {
  SQLite::Statement s(db, "INSERT OR REPLACE INTO facts(kind, key, body) VALUES(?, ?, ?)");
  s.bind(1, kind);
  s.bind(2, key);
  s.bind(3, body);
  s.exec();
}

std::optional<std::string> fact(SQLite::Database& db, const std::string& kind,
                                const std::string& key) {
  SQLite::Statement s(db, "SELECT body FROM facts WHERE kind = ? AND key = ?");
  s.bind(1, kind);
  s.bind(2, key);
  return s.executeStep() ? std::optional(s.getColumn(0).getString()) : std::nullopt;
}

}  // namespace

RunStore::RunStore(platform::Path root, Database db, Artifacts artifacts)
    : root_(std::move(root)), db_(std::move(db)), artifacts_(std::move(artifacts)) {}

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
  return RunStore(root, std::move(*db), std::move(artifacts));
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
  KW_TRY(db_.write([&](SQLite::Database& db) {
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
  if (!held) return fail(held.error().what, held.error().where, Advice::Stop);
  return held;
}

Result<> RunStore::append(const RunSummary& run, const Attempt& attempt,
                          const std::vector<Lesson>& learnt,
                          const std::vector<Experience>& experience) {
  // The source is stored as an artifact: many attempts share one, and people look for it by name.
  Attempt body = attempt;
  body.candidate.source.clear();
  const Sha256 source = KW_TRY(artifacts_.put(attempt.candidate.source));
  const std::string packed = compress(encode(body));
  const std::string line = encode(line_of(attempt));
  const Codes codes = KW_TRY(codes_of(learnt));
  return db_.write([&](SQLite::Database& db) {
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

void insert_event(SQLite::Database& db, std::int64_t run, const Event& event) {
  SQLite::Statement insert(db,
                           "INSERT INTO events(run, number, kind, at_ns, body) SELECT ?1, "
                           "COALESCE(MAX(number), 0) + 1, ?2, ?3, ?4 FROM events WHERE run = ?1");
  insert.bind(1, run);
  insert.bind(2, event.kind);
  insert.bind(3, event.at_ns);
  insert.bind(4, event.body);
  insert.exec();
}

Result<> RunStore::append_event(std::int64_t run, const Event& event) {
  return append_events(run, {event});
}

Result<> RunStore::append_events(std::int64_t run, const std::vector<Event>& events) {
  return db_.write([&](SQLite::Database& db) {
    for (const Event& event : events) insert_event(db, run, event);
  });
}

Result<> RunStore::update(const RunSummary& run) {
  return db_.write([&](SQLite::Database& db) { write_standing(db, run); });
}

Result<std::vector<RunSummary>> RunStore::list() const {
  std::vector<RunSummary> runs;
  Result<> status;
  KW_TRY(db_.read([&](SQLite::Database& db) {
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
  KW_TRY(db_.read([&](SQLite::Database& db) {
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
  auto failed = fail_input(ErrorCode::NotFound,
                           "no run named '" + name + "'" + suggestion(name, names), root_.string());
  failed.error().about = name;
  return failed;
}

namespace {

PackedAttempt packed_attempt(SQLite::Statement& row) {
  return {row.getColumn(0).getString(), blob(row.getColumn(1))};
}

/// Calls `visit` for each row, until it fails.
Result<> for_each_row(const Database& db, const char* query,
                      std::initializer_list<std::int64_t> bound,
                      const std::function<Result<>(SQLite::Statement&)>& visit) {
  Result<> status;
  KW_TRY(db.read([&](SQLite::Database& open) {
    SQLite::Statement row(open, query);
    int place = 0;
    for (const std::int64_t value : bound) row.bind(++place, value);
    while (status && row.executeStep()) status = visit(row);
  }));
  return status;
}

}  // namespace

Result<> RunStore::for_each_attempt(std::int64_t run, Sources sources,
                                    const std::function<Result<>(Attempt&)>& visit,
                                    Samples samples) const {
  AttemptWalk walk(artifacts_, sources, samples, visit);
  KW_TRY(for_each_row(db_, "SELECT source, body FROM attempts WHERE run = ? ORDER BY number", {run},
                      [&](SQLite::Statement& row) { return walk.add(packed_attempt(row)); }));
  return walk.finish();
}

Result<> RunStore::for_each_line(std::int64_t run,
                                 const std::function<void(const AttemptLine&)>& visit,
                                 int after) const {
  // Rows of schema 1 lack the stored AttemptLine, so only their bodies are read, to make it.
  return for_each_row(
      db_,
      "SELECT source, CASE line WHEN '' THEN body END, line FROM attempts WHERE run = ? "
      "AND number > ? ORDER BY number",
      {run, after}, [&](SQLite::Statement& row) -> Result<> {
        const std::string line = row.getColumn(2).getString();
        visit(line.empty() ? line_of(KW_TRY(unpack(packed_attempt(row))))
                           : KW_TRY(decode<AttemptLine>(line)));
        return {};
      });
}

Result<Attempt> RunStore::attempt(std::int64_t run, int number) const {
  std::optional<PackedAttempt> packed;
  KW_TRY(db_.read([&](SQLite::Database& db) {
    SQLite::Statement row(db, "SELECT source, body FROM attempts WHERE run = ? AND number = ?");
    row.bind(1, run);
    row.bind(2, number);
    if (row.executeStep()) packed = packed_attempt(row);
  }));
  if (!packed)
    return fail_input(ErrorCode::NotFound, "this run has no attempt " + std::to_string(number));
  Attempt attempt = KW_TRY(unpack(*packed));
  attempt.candidate.source = KW_TRY(SourceTexts(artifacts_).get(packed->source));
  return attempt;
}

Result<std::vector<Event>> RunStore::events(std::int64_t run) const {
  std::vector<Event> events;
  KW_TRY(db_.read([&](SQLite::Database& db) {
    SQLite::Statement row(
        db, "SELECT number, kind, at_ns, body FROM events WHERE run = ? ORDER BY number");
    row.bind(1, run);
    while (row.executeStep())
      events.push_back({row.getColumn(0).getInt(), row.getColumn(1).getString(),
                        row.getColumn(2).getInt64(), row.getColumn(3).getString()});
  }));
  return events;
}

Result<std::vector<Event>> RunStore::events(std::int64_t run, const std::string& kind,
                                            int after) const {
  std::vector<Event> events;
  KW_TRY(db_.read([&](SQLite::Database& db) {
    SQLite::Statement row(db,
                          "SELECT number, at_ns, body FROM events WHERE run = ? AND number > ? AND "
                          "kind = ? ORDER BY number");
    row.bind(1, run);
    row.bind(2, after);
    row.bind(3, kind);
    while (row.executeStep())
      events.push_back({row.getColumn(0).getInt(), kind, row.getColumn(1).getInt64(),
                        row.getColumn(2).getString()});
  }));
  return events;
}

Result<> RunStore::keep_exchange(std::int64_t run, const Exchange& exchange) {
  const std::string packed = compress(encode(exchange));
  return db_.write_synced([&](SQLite::Database& db) {
    SQLite::Statement insert(db,
                             "INSERT OR IGNORE INTO exchanges(run, key, model, scope, tokens, usd, "
                             "body) VALUES(?, ?, ?, ?, ?, ?, ?)");
    insert.bind(1, run);
    insert.bind(2, exchange.key);
    insert.bind(3, exchange.model);
    insert.bind(4, exchange.scope);
    insert.bind(5, exchange.reply.usage.total());
    if (exchange.reply.cost_usd)
      insert.bind(6, *exchange.reply.cost_usd);
    else
      insert.bind(6);
    insert.bind(7, packed.data(), static_cast<int>(packed.size()));
    insert.exec();
  });
}

Result<std::optional<Exchange>> RunStore::exchange(std::int64_t run, const std::string& key) const {
  std::string packed;
  KW_TRY(db_.read([&](SQLite::Database& db) {
    SQLite::Statement row(db, "SELECT body FROM exchanges WHERE run = ? AND key = ?");
    row.bind(1, run);
    row.bind(2, key);
    if (row.executeStep()) packed = blob(row.getColumn(0));
  }));
  if (packed.empty()) return std::optional<Exchange>();
  return std::optional(KW_TRY(decode<Exchange>(KW_TRY(decompress(packed)))));
}

Result<> RunStore::for_each_exchange(std::int64_t run,
                                     const std::function<Result<>(Exchange&)>& visit) const {
  return for_each_row(db_, "SELECT body FROM exchanges WHERE run = ? ORDER BY rowid", {run},
                      [&](SQLite::Statement& row) -> Result<> {
                        auto exchange =
                            KW_TRY(decode<Exchange>(KW_TRY(decompress(blob(row.getColumn(0))))));
                        return visit(exchange);
                      });
}

Result<> RunStore::remember(const std::string& kind, const std::string& key,
                            const std::string& body) {
  return db_.write([&](SQLite::Database& db) { put_fact(db, kind, key, body); });
}

Result<std::optional<std::string>> RunStore::recall(const std::string& kind,
                                                    const std::string& key) const {
  std::optional<std::string> body;
  KW_TRY(db_.read([&](SQLite::Database& db) { body = fact(db, kind, key); }));
  return body;
}

Result<> RunStore::revise(
    const std::string& kind, const std::string& key,
    const std::function<Result<std::string>(const std::optional<std::string>&)>& revise) {
  Result<> revised;
  KW_TRY(db_.write([&](SQLite::Database& db) {
    const auto body = revise(fact(db, kind, key));
    if (body)
      put_fact(db, kind, key, *body);
    else
      revised = std::unexpected(body.error());
  }));
  return revised;
}

}  // namespace kw::store
