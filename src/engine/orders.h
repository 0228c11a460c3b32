// Orders: what a person in charge asks of a run while it goes, kept with it and fed again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "record/order.h"
#include "search/types.h"
#include "store/run_store.h"

namespace kw::engine {

/// Adds orders to a run, all or none, whoever works on it; numbers, places and effects are not the
/// caller's to set.
Result<> give_orders(store::RunStore& store, std::int64_t run, const std::vector<Order>& orders);

/// All orders of a run, in the order of giving.
Result<std::vector<Order>> orders_of(const store::RunStore& store, std::int64_t run);

/// One line for people and for the decision log: "pin attempt 7".
std::string words_of(const Order& order);

/// Those of `orders` that hold for attempt `number`: they had taken effect and were not lifted.
std::vector<Order> in_force(const std::vector<Order>& orders, int number);

/// For whoever writes, as a person's words.
std::vector<std::string> instructions_of(const std::vector<Order>& in_force);

/// For the strategy; `ideas` are the workbench's. What is forbidden closes the ideas that show it,
/// what is required those that do not.
search::Steering steering_of(const std::vector<Order>& in_force,
                             const std::vector<search::Idea>& ideas);

/// The last attempt that an order cannot reach any more: it was answered, or its reply was paid for
/// when the run was killed and must find the same prompt. A reading of its parent is such a reply.
Result<int> settled_of(const store::RunStore& store, const RunSummary& run);

/// The orders of one run as they come in, and when each is due. An order that has not taken effect
/// does so before the first ask that nobody has answered yet; one that has, exactly where it did.
class OrderBook {
 public:
  /// `store` must outlive the book. `settled`: asks up to this attempt were answered, or paid for.
  static Result<OrderBook> open(const store::RunStore& store, std::int64_t run, int settled);

  /// Reads what was ordered since; one query.
  Result<> look();
  struct Due {
    Order order;
    bool is_new = false;  ///< It takes effect for the first time.
  };
  /// The next order that takes effect now, before ask `next` and after `told` tells.
  std::optional<Due> take(int next, int told);

 private:
  OrderBook(const store::RunStore& store, std::int64_t run, int settled)
      : store_(&store), run_(run), settled_(settled) {}

  const store::RunStore* store_;
  std::int64_t run_;
  int settled_;
  int last_event_ = 0;
  std::size_t taken_ = 0;
  std::vector<Order> orders_;
};

/// Keeps with the run where an order took effect, before anything follows from it.
Result<> keep_effect(store::RunStore& store, std::int64_t run, const Order& order);

}  // namespace kw::engine
