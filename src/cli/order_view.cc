// Formats the orders that people give to runs, as text and as JSON.
// SPDX-License-Identifier: Apache-2.0
#include "cli/order_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "engine/orders.h"

namespace kw::cli {

std::string state_of(const Order& order, const std::vector<Order>& all, const RunSummary& run) {
  const auto lift = std::ranges::find_if(
      all, [&](const Order& o) { return o.kind == OrderKind::Lift && o.lifts == order.number; });
  if (lift != all.end() && lift->has_effect())
    return fmt::format("lifted by order {} from attempt {} on", lift->number, lift->from_attempt);
  if (order.has_effect() && order.kind == OrderKind::Finish)
    return fmt::format("ended the search before attempt {}", order.from_attempt);
  if (order.has_effect()) return fmt::format("in force from attempt {} on", order.from_attempt);
  return run.state == RunState::Finished ? "too late" : "waiting";
}

std::vector<std::string> order_lines(const std::vector<Order>& orders, const RunSummary& run) {
  std::vector<std::string> lines;
  for (const Order& order : orders)
    lines.push_back(fmt::format("{} of {}: {}; {}", order.number, order.who,
                                engine::words_of(order), state_of(order, orders, run)));
  return lines;
}

void print_orders(const std::vector<Order>& orders, const RunSummary& run) {
  for (const Order& order : orders)
    fmt::print("order {}: {}\n  {}, {}; {}\n", order.number, engine::words_of(order), order.who,
               order.at, state_of(order, orders, run));
}

Json orders_json(const std::vector<Order>& orders, const RunSummary& run) {
  Json array = Json::array();
  for (const Order& order : orders) {
    Json object = {{"number", order.number},
                   {"kind", name_of(order.kind)},
                   {"words", engine::words_of(order)},
                   {"who", order.who},
                   {"at", order.at},
                   {"state", state_of(order, orders, run)},
                   {"from_attempt", order.from_attempt}};
    if (!order.text.empty()) object["text"] = order.text;
    if (order.attempt != 0) object["attempt"] = order.attempt;
    if (order.lifts != 0) object["lifts"] = order.lifts;
    array.push_back(std::move(object));
  }
  return array;
}

}  // namespace kw::cli
