// Events: the log of a run beside its attempts, in order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/database.h"

namespace kw::store {

struct Event {
  int number = 0;
  std::string kind;        ///< brief | confirm | order | order_effect
  std::int64_t at_ns = 0;  ///< Time since the run began.
  std::string body;        ///< JSON.
};

class Events {
 public:
  /// `db` must outlive the object.
  explicit Events(Database& db) : db_(db) {}

  Result<> append(std::int64_t run, const Event& event);
  /// Stores all events or none.
  Result<> append_all(std::int64_t run, const std::vector<Event>& events);
  Result<std::vector<Event>> of(std::int64_t run) const;
  /// Events of one kind behind event `after`.
  Result<std::vector<Event>> of(std::int64_t run, const std::string& kind, int after = 0) const;

 private:
  Database& db_;
};

}  // namespace kw::store
