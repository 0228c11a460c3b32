// Which orders mean something to a run, decided before they are given.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/orders.h"
#include "record/attempt.h"

namespace kw::engine {

/// What is known of the run when the order is given.
struct OrderContext {
  const RunConfig& config;
  const std::vector<AttemptLine>& lines;   ///< All attempts stored so far.
  const std::vector<search::Idea>& ideas;  ///< Of its workbench; needed for techniques alone.
  const std::vector<Order>& orders;        ///< Given before.
};

/// An order that could not change anything is refused in words that say why and what would.
Result<> check_order(const Order& order, const OrderContext& context);

/// The bounds of a run with what `orders` raised.
RaisedBudget bounds_of(const RunConfig& config, const std::vector<Order>& orders);

}  // namespace kw::engine
