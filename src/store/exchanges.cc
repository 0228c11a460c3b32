// Keeps exchanges, packed, one row each.
// SPDX-License-Identifier: Apache-2.0
#include "store/exchanges.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include "record/codec.h"
#include "store/artifacts.h"
#include "store/rows.h"

namespace kw::store {

Result<> Exchanges::keep(std::int64_t run, const Exchange& exchange) {
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

Result<std::optional<Exchange>> Exchanges::find(std::int64_t run, const std::string& key) const {
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

Result<> Exchanges::for_each(std::int64_t run,
                             const std::function<Result<>(Exchange&)>& visit) const {
  return for_each_row(db_, "SELECT body FROM exchanges WHERE run = ? ORDER BY rowid", {run},
                      [&](SQLite::Statement& row) -> Result<> {
                        auto exchange =
                            KW_TRY(decode<Exchange>(KW_TRY(decompress(blob(row.getColumn(0))))));
                        return visit(exchange);
                      });
}

}  // namespace kw::store
