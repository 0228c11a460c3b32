// Keeps facts in one table.
// SPDX-License-Identifier: Apache-2.0
#include "store/facts.h"

#include <SQLiteCpp/SQLiteCpp.h>

namespace kw::store {
namespace {

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

Result<> Facts::remember(const std::string& kind, const std::string& key, const std::string& body) {
  return db_.write([&](SQLite::Database& db) { put_fact(db, kind, key, body); });
}

Result<std::optional<std::string>> Facts::recall(const std::string& kind,
                                                 const std::string& key) const {
  std::optional<std::string> body;
  KW_TRY(db_.read([&](SQLite::Database& db) { body = fact(db, kind, key); }));
  return body;
}

Result<> Facts::revise(
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
