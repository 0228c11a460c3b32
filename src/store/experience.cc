// Stores experience with techniques together with the attempts that showed it.
// SPDX-License-Identifier: Apache-2.0
#include <SQLiteCpp/SQLiteCpp.h>

#include "record/codec.h"
#include "store/lessons.h"
#include "store/rows.h"

namespace kw::store {
namespace {

constexpr const char* kEntryColumns = "SELECT id, uses, helped, body FROM experience ";

/// Most entries of experience with one target; beyond this number, the entry not seen for longest
/// is removed.
constexpr int kMostEntries = 5000;

Experience read_experience(SQLite::Statement& row) {
  auto one = decode<Experience>(row.getColumn(3).getString());
  if (!one) throw SQLite::Exception(one.error().what);
  one->id = row.getColumn(0).getInt64();
  one->uses = row.getColumn(1).getInt();
  one->helped = row.getColumn(2).getInt();
  return std::move(*one);
}

/// The body of a row: the entry without the fields that have columns, which are counted there.
std::string body_of(Experience one) {
  one.id = 0;
  one.uses = one.helped = 0;
  return encode(one);
}

}  // namespace

void keep_experience(SQLite::Database& db, const std::vector<Experience>& news) {
  if (news.empty()) return;
  SQLite::Statement row(db, std::string(kEntryColumns) + "WHERE key = ?");
  SQLite::Statement put(db,
                        "INSERT INTO experience(key, target, at, body) VALUES(?1, ?2, ?3, ?4) ON "
                        "CONFLICT(key) DO UPDATE SET at = ?3, body = ?4");
  for (const Experience& one : news) {
    row.reset();
    row.bind(1, key_of(one));
    const Experience after = row.executeStep() ? merged(read_experience(row), one) : one;
    put.reset();
    put.bind(1, key_of(one));
    put.bind(2, std::string(name_of(one.target)));
    put.bind(3, after.at);
    put.bind(4, body_of(after));
    put.exec();
  }
  SQLite::Statement evict(db,
                          "DELETE FROM experience WHERE id IN (SELECT id FROM experience WHERE "
                          "target = ? ORDER BY at DESC, id DESC LIMIT -1 OFFSET ?)");
  evict.bind(1, std::string(name_of(news.front().target)));
  evict.bind(2, kMostEntries);
  evict.exec();
}

Result<std::vector<Experience>> Lessons::experience(std::optional<Target> target) const {
  std::vector<Experience> all;
  KW_TRY(db_.read([&](SQLite::Database& db) {
    SQLite::Statement row(
        db, std::string(kEntryColumns) + "WHERE ?1 = '' OR target = ?1 ORDER BY at DESC, id");
    row.bind(1, target ? std::string(name_of(*target)) : "");
    while (row.executeStep()) all.push_back(read_experience(row));
  }));
  return all;
}

}  // namespace kw::store
