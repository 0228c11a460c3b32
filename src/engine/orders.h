// What a person orders while a run goes on. Orders are kept with the run and replayed by resume.
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

/// Adds orders to a run, all or none, even while another process works on the run. The number and
/// the effect of each order are set here, not by the caller.
Result<> give_orders(store::RunStore& store, std::int64_t run, const std::vector<Order>& orders);

/// All orders of a run, earliest first.
Result<std::vector<Order>> orders_of(const store::RunStore& store, std::int64_t run);

/// An order as one line of text, for people and for the decision log: "pin attempt 7".
std::string words_of(const Order& order);

/// The orders among `orders` that apply to attempt `number`: they had taken effect and were not
/// lifted.
std::vector<Order> in_force(const std::vector<Order>& orders, int number);

/// Orders as instructions of a person in the writer's prompt.
std::vector<std::string> instructions_of(const std::vector<Order>& in_force);

/// Orders as the strategy sees them; `ideas` are the workbench's. A forbidden technique closes the
/// ideas that show it; a required one closes those that do not.
search::Steering steering_of(const std::vector<Order>& in_force,
                             const std::vector<search::Idea>& ideas);

/// The last attempt that an order can no longer reach: it was answered, or its reply was already
/// paid for when the run was killed and must find the same prompt. A judge's reading of its parent
/// is such a reply.
Result<int> settled_of(const store::RunStore& store, const RunSummary& run);

/// The orders of one run as they come in, and when each is due. A new order takes effect before the
/// first ask that nobody has answered yet; an order that took effect earlier takes effect at the
/// same place again.
class OrderBook {
 public:
  /// `store` must outlive the book. `settled`: asks up to this attempt were answered or paid for.
  static Result<OrderBook> open(const store::RunStore& store, std::int64_t run, int settled);

  /// Reads the orders given since the last look, in one query.
  Result<> look();
  struct Due {
    Order order;
    bool is_new = false;  ///< The order takes effect for the first time.
  };
  /// The next order that takes effect now, before ask `next` and after the results of `told`
  /// attempts.
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

/// Stores with the run at which attempt an order took effect, before any decision follows from the
/// order.
Result<> keep_effect(store::RunStore& store, std::int64_t run, const Order& order);

}  // namespace kw::engine
