// Decides, before orders are given, which of them can have an effect on a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/orders.h"
#include "record/attempt.h"

namespace kw::engine {

/// Facts about the run at the time when the order is given.
struct OrderContext {
  const RunConfig& config;
  const std::vector<AttemptLine>& lines;  ///< All attempts stored so far.
  /// Ideas of the run's workbench; needed for orders about techniques only.
  const std::vector<search::Idea>& ideas;
  const std::vector<Order>& orders;  ///< Orders that were given before.
};

/// Refuses an order that could not change anything, with a message that says why and what would
/// help.
Result<> check_order(const Order& order, const OrderContext& context);

/// The limits of a run, including those that `orders` raised.
RaisedBudget bounds_of(const RunConfig& config, const std::vector<Order>& orders);

}  // namespace kw::engine
