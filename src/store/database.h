// One SQLite database, opened with our rules: WAL, migrations, Results instead of exceptions.
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

/// The schema this program writes. Older databases are migrated, newer ones refused.
inline constexpr int kSchemaVersion = 6;

class Database {
 public:
  /// What a migration fills in that statements alone cannot, from the schema version that was
  /// found; inside the migration's transaction.
  using Completion = std::function<void(SQLite::Database&, int from)>;

  /// Opens or creates. A newer schema, a file that is no database, a read-only folder and a full
  /// disk are Advice::Stop errors in words. Waits some ten seconds for others that create it as
  /// well.
  static Result<Database> open(const platform::Path& file, const Completion& complete);

  /// For what only looks: creates nothing, and needs no folder that can be written. Where there is
  /// no file, an empty database in memory; where it or its folder cannot be written, what is there
  /// now. What is written all the same is an error.
  static Result<Database> open_to_read(const platform::Path& file, const Completion& complete);

  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  /// Runs `work` inside BEGIN IMMEDIATE … COMMIT; any error rolls back. Waits up to 10 s for
  /// another writer. A killed process leaves all of it or nothing.
  Result<> write(const std::function<void(SQLite::Database&)>& work);

  /// The same; on return it is on the disk itself, so that not even a power cut undoes it.
  Result<> write_synced(const std::function<void(SQLite::Database&)>& work);

  /// Runs read-only `work`.
  Result<> read(const std::function<void(SQLite::Database&)>& work) const;

  /// What a user should hear about how the file is kept ("rollback journal: network filesystem").
  const std::string& notice() const { return notice_; }

 private:
  Database(std::unique_ptr<SQLite::Database> db, std::string path, std::string notice);
  std::unique_ptr<SQLite::Database> db_;
  std::string path_;
  std::string notice_;
};

}  // namespace kw::store
