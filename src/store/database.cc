// Opens, migrates and guards the SQLite database.
// SPDX-License-Identifier: Apache-2.0
#include "store/database.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <thread>

namespace kw::store {
namespace {

constexpr int kBusyTimeoutMs = 10'000;

/// Statement i migrates from schema version i to i + 1.
constexpr std::array<const char*, kSchemaVersion> kMigrations{
    R"sql(
      CREATE TABLE runs(
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        state TEXT NOT NULL,
        config TEXT NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0,
        best_attempt INTEGER NOT NULL DEFAULT 0,
        best_speedup REAL NOT NULL DEFAULT 0,
        is_confirmed INTEGER NOT NULL DEFAULT 0,
        stopped_by TEXT NOT NULL DEFAULT '',
        started_at TEXT NOT NULL,
        spent_ns REAL NOT NULL DEFAULT 0);
      CREATE TABLE attempts(
        run INTEGER NOT NULL REFERENCES runs(id),
        number INTEGER NOT NULL,
        stage TEXT NOT NULL,
        outcome TEXT NOT NULL,
        class TEXT NOT NULL,
        reward REAL NOT NULL,
        source TEXT NOT NULL,
        body BLOB NOT NULL,
        PRIMARY KEY(run, number));
      CREATE TABLE events(
        run INTEGER NOT NULL REFERENCES runs(id),
        number INTEGER NOT NULL,
        kind TEXT NOT NULL,
        at_ns INTEGER NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY(run, number));
      CREATE TABLE facts(
        kind TEXT NOT NULL,
        key TEXT NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY(kind, key)) WITHOUT ROWID;
    )sql",
    // The AttemptLine of an attempt, so that lists need not unpack the attempt's body; empty in
    // older rows.
    "ALTER TABLE attempts ADD COLUMN line TEXT NOT NULL DEFAULT '';",
    // Replies of models, which cost money; `lost` is the cost of tries without a reply.
    R"sql(
      CREATE TABLE exchanges(
        run INTEGER NOT NULL REFERENCES runs(id),
        key TEXT NOT NULL,
        model TEXT NOT NULL,
        scope TEXT NOT NULL,
        tokens INTEGER NOT NULL,
        usd REAL,
        body BLOB NOT NULL,
        PRIMARY KEY(run, key));
      ALTER TABLE runs ADD COLUMN lost TEXT NOT NULL DEFAULT '{}';
    )sql",
    // Lessons of runs; `at` is the last sighting, `body` the lesson without the other columns.
    R"sql(
      CREATE TABLE lessons(
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        key TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        task TEXT NOT NULL,
        state TEXT NOT NULL,
        uses INTEGER NOT NULL DEFAULT 0,
        helped INTEGER NOT NULL DEFAULT 0,
        at TEXT NOT NULL,
        body TEXT NOT NULL);
      CREATE INDEX lessons_of_task ON lessons(task, kind);
    )sql",
    // Words of each lesson and code of each win, for full-text search; rowid is the lesson's id.
    "CREATE VIRTUAL TABLE lesson_words USING fts5(text, code, tokenize = 'porter unicode61');",
    // Experience with techniques; cards of knowledge with their words (rowid is the card's id); and
    // the number of cards that hold each word.
    R"sql(
      CREATE TABLE experience(
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        key TEXT NOT NULL UNIQUE,
        target TEXT NOT NULL,
        at TEXT NOT NULL,
        uses INTEGER NOT NULL DEFAULT 0,
        helped INTEGER NOT NULL DEFAULT 0,
        body TEXT NOT NULL);
      CREATE TABLE cards(
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        origin TEXT NOT NULL,
        name TEXT NOT NULL,
        uses INTEGER NOT NULL DEFAULT 0,
        helped INTEGER NOT NULL DEFAULT 0,
        body TEXT NOT NULL,
        UNIQUE(origin, name));
      CREATE VIRTUAL TABLE card_words USING fts5(words, detail = none, columnsize = 0);
      CREATE TABLE card_counts(word TEXT PRIMARY KEY, cards INTEGER NOT NULL) WITHOUT ROWID;
    )sql"};

/// Code of an exception that SQLite did not report: this room throws one for a row that it cannot
/// read.
constexpr int kNotOfSqlite = -1;

std::unexpected<Error> sqlite_error(const SQLite::Exception& e, const std::string& path) {
  if (e.getErrorCode() == kNotOfSqlite)
    return fail(ErrorCode::Malformed, std::string("database: ") + e.what(), path, Advice::Stop);
  switch (e.getErrorCode() & 0xff) {
    case SQLITE_FULL:
      return fail(
          ErrorCode::NoSpace,
          "the disk of the workspace is full; nothing that was stored is lost; free some space, "
          "then go on",
          path, Advice::Stop);
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      return fail(ErrorCode::NotPermitted,
                  std::string("cannot write the workspace's database: ") + e.what(), path,
                  Advice::Stop);
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return fail(
          ErrorCode::Malformed,
          std::string("this file is not a database of Kernelwright, or is a damaged one: ") +
              e.what(),
          path, Advice::Stop);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fail(
          ErrorCode::Busy,
          "another process keeps the workspace's database locked; try again once it has ended",
          path, Advice::Retry);
    default:
      return fail(ErrorCode::Io, std::string("database: ") + e.what(), path, Advice::Stop);
  }
}

/// Whether a folder lies on a network filesystem, which lacks the shared memory that WAL needs.
bool is_network_filesystem(const platform::Path& folder) {
  constexpr std::array<long, 8> kMagic{
      0x6969 /*nfs*/,      0xff534d42 /*cifs*/,   0xfe534d42 /*smb2*/, 0x517b /*smb*/,
      0x65735546 /*fuse*/, 0x0bd00bd0 /*lustre*/, 0x47504653 /*gpfs*/, 0x01021997 /*9p*/};
  struct statfs info{};
  if (::statfs(folder.c_str(), &info) != 0) return false;
  for (const long magic : kMagic)
    if (static_cast<unsigned long>(info.f_type) == static_cast<unsigned long>(magic)) return true;
  return false;
}

void migrate(SQLite::Database& db, int from, const Database::Completion& complete) {
  SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
  // Another process may have migrated the database meanwhile.
  const int now = db.execAndGet("PRAGMA user_version").getInt();
  from = std::max(from, now);
  for (int v = from; v < kSchemaVersion; ++v) db.exec(kMigrations[static_cast<std::size_t>(v)]);
  if (from < kSchemaVersion) complete(db, from);
  db.exec("PRAGMA user_version = " + std::to_string(kSchemaVersion));
  transaction.commit();
}

Result<int> known_version(SQLite::Database& db, const std::string& file) {
  const int version = db.execAndGet("PRAGMA user_version").getInt();
  if (version <= kSchemaVersion) return version;
  return fail(ErrorCode::NewerFormat, About{"schema " + std::to_string(version)},
              "the workspace's database was written by a newer version of kernelwright (schema " +
                  std::to_string(version) + ", this program knows " +
                  std::to_string(kSchemaVersion) + ")",
              file, Advice::Stop);
}

/// Tries once to open the database; throws where SQLite does.
Result<std::unique_ptr<SQLite::Database>> opened(const std::string& file, bool network,
                                                 const Database::Completion& complete) {
  auto db = std::make_unique<SQLite::Database>(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE,
                                               kBusyTimeoutMs);
  db->exec(network ? "PRAGMA journal_mode = DELETE" : "PRAGMA journal_mode = WAL");
  // With WAL, NORMAL loses nothing when a process is killed; only a power cut may cost the last
  // commits.
  db->exec(network ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
  db->exec("PRAGMA foreign_keys = ON");
  // The size is in KiB. It is small, since rows are written once and read in order: a larger cache
  // would only fill up during a run.
  db->exec("PRAGMA cache_size = -256");
  const int version = KW_TRY(known_version(*db, file));
  if (version < kSchemaVersion) migrate(*db, version, complete);
  return db;
}

/// A path as a URI ("file:…") for SQLite.
std::string uri_of(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path)
    uri += c == '%' ? "%25" : c == '?' ? "%3f" : c == '#' ? "%23" : std::string(1, c);
  return uri;
}

/// Opens a database that cannot be written. With `is_immutable` SQLite neither makes nor reads
/// files beside it, so what a killed process left in the WAL is not seen.
Result<std::unique_ptr<SQLite::Database>> opened_to_read(const std::string& file,
                                                         bool is_immutable) {
  auto db =
      std::make_unique<SQLite::Database>(uri_of(file) + (is_immutable ? "?immutable=1" : ""),
                                         SQLite::OPEN_READONLY | SQLite::OPEN_URI, kBusyTimeoutMs);
  if (const int version = KW_TRY(known_version(*db, file)); version < kSchemaVersion)
    return fail(ErrorCode::NotPermitted, About{"schema " + std::to_string(version)},
                fmt::format("the workspace's database has schema {}, older than this program's {}, "
                            "and cannot be converted because it cannot be written; copy the "
                            "workspace to a folder that can be written",
                            version, kSchemaVersion),
                file, Advice::Stop);
  return db;
}

bool is_busy(const SQLite::Exception& e) { return (e.getErrorCode() & 0xff) == SQLITE_BUSY; }

}  // namespace

Database::Database(std::unique_ptr<SQLite::Database> db, std::string path, std::string notice)
    : db_(std::move(db)), path_(std::move(path)), notice_(std::move(notice)) {}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;

Result<Database> Database::open(const platform::Path& file, const Completion& complete) {
  KW_TRY(platform::make_dirs(file.parent_path()));
  const bool network = is_network_filesystem(file.parent_path());
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(kBusyTimeoutMs);
  for (;;) {
    try {
      auto db = KW_TRY(opened(file.string(), network, complete));
      return Database(std::move(db), file.string(),
                      network ? "the workspace's database uses a rollback journal, since it lies "
                                "on a network filesystem, and is slower for it"
                              : "");
    } catch (const SQLite::Exception& e) {
      // SQLite does not wait where two processes make the WAL of the same new database.
      if (!is_busy(e) || std::chrono::steady_clock::now() > until)
        return sqlite_error(e, file.string());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

Result<Database> Database::open_to_read(const platform::Path& file, const Completion& complete) {
  std::error_code trouble;
  const bool is_there = std::filesystem::exists(file, trouble);
  if (trouble) return platform::fail_errno("read the database", file, trouble.value());
  if (is_there && ::access(file.c_str(), W_OK) == 0 &&
      ::access(file.parent_path().c_str(), W_OK) == 0)
    return open(file, complete);
  try {
    if (!is_there) return Database(KW_TRY(opened(":memory:", false, complete)), file.string(), "");
    try {
      return Database(KW_TRY(opened_to_read(file.string(), false)), file.string(), "");
    } catch (const SQLite::Exception&) {
      // The shared memory of the write-ahead log is missing and cannot be created, so the file is
      // read as immutable.
      return Database(KW_TRY(opened_to_read(file.string(), true)), file.string(), "");
    }
  } catch (const SQLite::Exception& e) {
    return sqlite_error(e, file.string());
  }
}

Result<> Database::write(const std::function<void(SQLite::Database&)>& work) {
  try {
    SQLite::Transaction transaction(*db_, SQLite::TransactionBehavior::IMMEDIATE);
    work(*db_);
    transaction.commit();
    return {};
  } catch (const SQLite::Exception& e) {
    return sqlite_error(e, path_);
  }
}

Result<> Database::write_synced(const std::function<void(SQLite::Database&)>& work) {
  // The level is set before the transaction, since it cannot change inside one. With FULL, a commit
  // in WAL mode waits for the disk.
  const auto set = [&](const char* level) -> Result<> {
    return read(
        [&](SQLite::Database& db) { db.exec(std::string("PRAGMA synchronous = ") + level); });
  };
  KW_TRY(set("FULL"));
  const auto written = write(work);
  if (notice_.empty()) KW_TRY(set("NORMAL"));
  return written;
}

Result<> Database::read(const std::function<void(SQLite::Database&)>& work) const {
  try {
    work(*db_);
    return {};
  } catch (const SQLite::Exception& e) {
    return sqlite_error(e, path_);
  }
}

}  // namespace kw::store
