// Reads columns and walks over rows.
// SPDX-License-Identifier: Apache-2.0
#include "store/rows.h"

#include <SQLiteCpp/SQLiteCpp.h>

namespace kw::store {

std::string blob(const SQLite::Column& column) {
  return {static_cast<const char*>(column.getBlob()), static_cast<std::size_t>(column.getBytes())};
}

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

}  // namespace kw::store
