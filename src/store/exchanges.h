// Exchanges: what runs asked models and what came back, which cost money.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "record/exchange.h"
#include "store/database.h"

namespace kw::store {

class Exchanges {
 public:
  /// `db` must outlive the object.
  explicit Exchanges(Database& db) : db_(db) {}

  /// Stores a completed exchange of a run; it is on the disk when this returns. A second exchange
  /// with the same key is ignored.
  Result<> keep(std::int64_t run, const Exchange& exchange);
  Result<std::optional<Exchange>> find(std::int64_t run, const std::string& key) const;
  /// Visits exchanges in the order in which they were stored.
  Result<> for_each(std::int64_t run, const std::function<Result<>(Exchange&)>& visit) const;

 private:
  Database& db_;
};

}  // namespace kw::store
