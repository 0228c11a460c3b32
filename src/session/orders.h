// Orders that people give to runs: reads them, words them and gives them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "record/attempt.h"
#include "record/order.h"
#include "session/options.h"
#include "store/run_store.h"

namespace kw::session {

/// All orders of a run, earliest first.
Result<std::vector<Order>> orders_of(const store::RunStore& store, std::int64_t run);

/// An order as one line of text: "pin attempt 7".
std::string words_of(const Order& order);

/// The state of an order: "waiting", "in force from attempt 12", "lifted by order 3", "too late".
std::string state_of(const Order& order, const std::vector<Order>& all, const RunSummary& run);

/// One line for each order: "1 of anna: pin attempt 7; in force from attempt 9 on".
std::vector<std::string> order_lines(const std::vector<Order>& orders, const RunSummary& run);

/// A run that got orders.
struct SteeredRun {
  RunSummary run;
  bool is_running = false;    ///< Whether a process works on the run and will see the new orders.
  std::size_t known = 0;      ///< How many of `orders` the run had before.
  std::vector<Order> orders;  ///< All orders of the run, earliest first.
};

/// A run that a person gives orders to, with the store open.
class Steering {
 public:
  /// Error: no such run.
  static Result<Steering> open(const Options& options, const std::string& run);

  const RunSummary& run() const { return run_; }

  /// Gives the run these orders, all or none; with no orders it only reads the run's. Errors: the
  /// run makes no further attempts, or an order does not fit the run.
  Result<SteeredRun> give(const std::vector<Order>& wanted);

 private:
  Steering(const Options& options, store::RunStore store, RunSummary run)
      : options_(options), store_(std::move(store)), run_(std::move(run)) {}

  Options options_;
  store::RunStore store_;
  RunSummary run_;
};

}  // namespace kw::session
