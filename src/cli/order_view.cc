// Formats the orders that people give to runs, as text and as JSON.
// SPDX-License-Identifier: Apache-2.0
#include "cli/order_view.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "session/orders.h"

namespace kw::cli {

void print_orders(const std::vector<Order>& orders, const RunSummary& run) {
  for (const Order& order : orders)
    fmt::print("order {}: {}\n  {}, {}; {}\n", order.number, session::words_of(order), order.who,
               order.at, session::state_of(order, orders, run));
}

Json orders_json(const std::vector<Order>& orders, const RunSummary& run) {
  Json array = Json::array();
  for (const Order& order : orders) {
    Json object = {{"number", order.number},
                   {"kind", name_of(order.kind)},
                   {"words", session::words_of(order)},
                   {"who", order.who},
                   {"at", order.at},
                   {"state", session::state_of(order, orders, run)},
                   {"from_attempt", order.from_attempt}};
    if (!order.text.empty()) object["text"] = order.text;
    if (order.attempt != 0) object["attempt"] = order.attempt;
    if (order.lifts != 0) object["lifts"] = order.lifts;
    array.push_back(std::move(object));
  }
  return array;
}

}  // namespace kw::cli
