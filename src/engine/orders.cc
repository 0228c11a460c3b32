// Keeps a person's orders in the store as events of their run.
// SPDX-License-Identifier: Apache-2.0
#include "engine/orders.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/contains.h"
#include "base/text.h"
#include "engine/readings.h"
#include "propose/counsel.h"
#include "propose/judge.h"
#include "record/codec_impl.h"

namespace kw::engine {
namespace {

constexpr const char* kOrderEvent = "order";
constexpr const char* kEffectEvent = "order_effect";

/// The attempt before which an order took effect, and how many results were known then.
struct Effect {
  int order = 0;
  int from_attempt = 0;
  int told = 0;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("order", s.order), v("from_attempt", s.from_attempt), v("told", s.told);
  }
};

/// Reads the orders given after event `last_event`, and sets `last_event` to that of the last
/// order. `count`: number of orders that were read before.
Result<std::vector<Order>> read_orders(const store::RunStore& store, std::int64_t run,
                                       int& last_event, std::size_t count) {
  std::vector<Order> orders;
  for (const store::Event& event : KW_TRY(store.events().of(run, kOrderEvent, last_event))) {
    orders.push_back(KW_TRY(decode<Order>(event.body)));
    orders.back().number = static_cast<int>(count + orders.size());
    last_event = event.number;
  }
  return orders;
}

std::string budget_words(const RaisedBudget& b) {
  std::vector<std::string> parts;
  if (b.max_attempts > 0) parts.push_back(fmt::format("{} attempts", b.max_attempts));
  if (b.max_time_ns > 0) parts.push_back(format_ns(static_cast<double>(b.max_time_ns)));
  if (b.models.usd) parts.push_back(fmt::format("${:g}", *b.models.usd));
  if (b.models.tokens) parts.push_back(fmt::format("{} tokens", *b.models.tokens));
  if (b.models.calls) parts.push_back(fmt::format("{} model calls", *b.models.calls));
  return "raise the budget to " + join(parts, ", ");
}

}  // namespace

Result<> give_orders(store::RunStore& store, std::int64_t run, const std::vector<Order>& orders) {
  std::vector<store::Event> events;
  for (const Order& order : orders) events.push_back({0, kOrderEvent, 0, encode(order)});
  return store.events().append_all(run, events);
}

Result<> keep_effect(store::RunStore& store, std::int64_t run, const Order& order) {
  return store.events().append(
      run, {0, kEffectEvent, 0, encode(Effect{order.number, order.from_attempt, order.told})});
}

Result<std::vector<Order>> orders_of(const store::RunStore& store, std::int64_t run) {
  int last = 0;
  auto orders = KW_TRY(read_orders(store, run, last, 0));
  for (const store::Event& event : KW_TRY(store.events().of(run, kEffectEvent))) {
    const auto effect = KW_TRY(decode<Effect>(event.body));
    if (effect.order < 1 || effect.order > static_cast<int>(orders.size()))
      return fail(ErrorCode::Malformed, About{"order"},
                  "the store holds the effect of an order that it does not hold", "run",
                  Advice::Stop);
    Order& order = orders[static_cast<std::size_t>(effect.order - 1)];
    order.from_attempt = effect.from_attempt;
    order.told = effect.told;
  }
  return orders;
}

std::string words_of(const Order& order) {
  switch (order.kind) {
    case OrderKind::Hint:
      return "hint: " + order.text;
    case OrderKind::Forbid:
      return "forbid " + order.text;
    case OrderKind::Require:
      return "require " + order.text;
    case OrderKind::Pin:
      return fmt::format("pin attempt {}", order.attempt);
    case OrderKind::Stop:
      return fmt::format("stop what derives from attempt {}", order.attempt);
    case OrderKind::Budget:
      return budget_words(order.budget);
    case OrderKind::Lift:
      return fmt::format("lift order {}", order.lifts);
    case OrderKind::Finish:
      return "finish: confirm the best so far";
  }
  KW_ASSERT(false);
}

std::vector<Order> in_force(const std::vector<Order>& orders, int number) {
  std::vector<Order> held;
  for (const Order& order : orders) {
    if (!order.has_effect() || order.from_attempt > number) continue;
    if (order.kind == OrderKind::Lift)
      std::erase_if(held, [&](const Order& o) { return o.number == order.lifts; });
    // Of two orders to pin an attempt, the later one counts.
    if (order.kind == OrderKind::Pin)
      std::erase_if(held, [](const Order& o) { return o.kind == OrderKind::Pin; });
    if (order.kind != OrderKind::Lift) held.push_back(order);
  }
  return held;
}

std::vector<std::string> instructions_of(const std::vector<Order>& in_force) {
  std::vector<std::string> instructions;
  for (const Order& order : in_force) switch (order.kind) {
      case OrderKind::Hint:
        instructions.push_back("Worth trying: " + order.text);
        break;
      case OrderKind::Forbid:
        instructions.push_back("Do not use this technique: " + order.text +
                               ". A kernel that names it is not judged.");
        break;
      case OrderKind::Require:
        instructions.push_back("Use this technique: " + order.text);
        break;
      case OrderKind::Pin:
        instructions.push_back(fmt::format(
            "Work on attempt {} and on nothing else until told otherwise.", order.attempt));
        break;
      case OrderKind::Stop:
        instructions.push_back(
            fmt::format("Attempt {} and what was made from it are given up: do not go back there.",
                        order.attempt));
        break;
      case OrderKind::Budget:
      case OrderKind::Lift:
      case OrderKind::Finish:
        break;
    }
  return instructions;
}

search::Steering steering_of(const std::vector<Order>& in_force,
                             const std::vector<search::Idea>& ideas) {
  search::Steering steering;
  for (const Order& order : in_force) {
    if (order.kind == OrderKind::Pin) steering.pinned = order.attempt;
    if (order.kind == OrderKind::Stop) steering.stopped.push_back(order.attempt);
    if (order.kind != OrderKind::Forbid && order.kind != OrderKind::Require) continue;
    for (std::size_t i = 0; i < ideas.size(); ++i)
      if (contains(ideas[i].techniques, order.text) == (order.kind == OrderKind::Forbid))
        steering.closed.insert(static_cast<int>(i));
  }
  return steering;
}

Result<OrderBook> OrderBook::open(const store::RunStore& store, std::int64_t run, int settled) {
  OrderBook book(store, run, settled);
  KW_TRY(book.look());
  const auto known = KW_TRY(orders_of(store, run));
  for (std::size_t i = 0; i < book.orders_.size(); ++i) book.orders_[i] = known[i];
  return book;
}

Result<> OrderBook::look() {
  for (Order& order : KW_TRY(read_orders(*store_, run_, last_event_, orders_.size())))
    orders_.push_back(std::move(order));
  return {};
}

std::optional<OrderBook::Due> OrderBook::take(int next, int told) {
  if (taken_ == orders_.size()) return std::nullopt;
  Order& order = orders_[taken_];
  const bool is_new = !order.has_effect();
  if (is_new) {
    if (next <= settled_) return std::nullopt;
    order.from_attempt = next;
    order.told = told;
  } else if (next < order.from_attempt || told < order.told) {
    return std::nullopt;
  }
  ++taken_;
  return Due{order, is_new};
}

Result<int> settled_of(const store::RunStore& store, const RunSummary& run) {
  const auto recorded = static_cast<int>(run.attempts);
  int settled = recorded;
  KW_TRY(store.exchanges().for_each(run.id, [&](const Exchange& exchange) -> Result<> {
    settled = std::max({settled, propose::attempt_of_scope(exchange.scope),
                        propose::attempt_of_counsel(exchange.scope)});
    if (const int read = propose::attempt_of_reading(exchange.scope); read != 0) {
      // The process was killed before it kept the judge's reading, so the reading was for one of
      // the asks in flight.
      const auto reading = KW_TRY(reading_of(store, run.id, read));
      settled = std::max(
          settled, reading ? reading->asked_for : recorded + std::max(1, run.config.outstanding));
    }
    return {};
  }));
  return settled;
}

}  // namespace kw::engine
