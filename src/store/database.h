// An SQLite database with the project's settings: WAL, migrations, Results instead of exceptions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "platform/files.h"

namespace SQLite {
class Database;
class Statement;
}  // namespace SQLite

namespace kw::store {

/// Version of the schema that this program writes. Older databases are migrated, newer ones
/// refused.
inline constexpr int kSchemaVersion = 6;

class Database {
 public:
  /// Completes a migration where statements alone cannot; called inside its transaction with the
  /// schema version that was found.
  using Completion = std::function<void(SQLite::Database&, int from)>;

  /// Opens or creates a database. A newer schema, a file that is no database, a read-only folder
  /// and a full disk are Advice::Stop errors in words. Waits some ten seconds for processes that
  /// create the same file.
  static Result<Database> open(const platform::Path& file, const Completion& complete);

  /// Opens a database for reading only: creates nothing, and works in a folder that cannot be
  /// written. A missing file gives an empty database in memory; a file that cannot be written is
  /// read as it is now. Writing is an error.
  static Result<Database> open_to_read(const platform::Path& file, const Completion& complete);

  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  /// Runs `work` inside BEGIN IMMEDIATE … COMMIT; any error rolls back. Waits up to 10 s for
  /// another writer. If the process is killed, all of the work is stored or none.
  Result<> write(const std::function<void(SQLite::Database&)>& work);

  /// Like write(), but on return the data is on the disk itself, so that not even a power cut
  /// undoes it.
  Result<> write_synced(const std::function<void(SQLite::Database&)>& work);

  /// Runs `work`, which must only read.
  Result<> read(const std::function<void(SQLite::Database&)>& work) const;

  /// What a user should know about how the file is stored ("rollback journal: network filesystem").
  const std::string& notice() const { return notice_; }

 private:
  Database(std::unique_ptr<SQLite::Database> db, std::string path, std::string notice);
  std::unique_ptr<SQLite::Database> db_;
  std::string path_;
  std::string notice_;
};

}  // namespace kw::store
