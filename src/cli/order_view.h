// Formats orders (instructions of people to a run) for the commands that list them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "record/attempt.h"
#include "record/order.h"

namespace kw::cli {

/// The state of an order: "waiting", "in force from attempt 12", "lifted by order 3", "too late".
std::string state_of(const Order& order, const std::vector<Order>& all, const RunSummary& run);

/// One line for each order: "1 of anna: pin attempt 7; in force from attempt 9 on".
std::vector<std::string> order_lines(const std::vector<Order>& orders, const RunSummary& run);

/// Prints two lines for each order: number, words, author, time, state.
void print_orders(const std::vector<Order>& orders, const RunSummary& run);

/// The JSON array `orders` that docs/formats.md describes.
nlohmann::json orders_json(const std::vector<Order>& orders, const RunSummary& run);

}  // namespace kw::cli
