// Formats orders (instructions of people to a run) for the commands that list them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "record/attempt.h"
#include "record/order.h"

namespace kw::cli {

/// Prints two lines for each order: number, words, author, time, state.
void print_orders(const std::vector<Order>& orders, const RunSummary& run);

/// The JSON array `orders` that docs/formats.md describes.
nlohmann::json orders_json(const std::vector<Order>& orders, const RunSummary& run);

}  // namespace kw::cli
