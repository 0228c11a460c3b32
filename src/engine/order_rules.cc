// Checks a person's orders to a run, with one function for each kind.
// SPDX-License-Identifier: Apache-2.0
#include "engine/order_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/contains.h"
#include "base/text.h"
#include "search/strategy.h"

namespace kw::engine {
namespace {

bool asks_writers(const RunConfig& config) {
  const auto info = search::find_strategy(config.strategy);
  return info && (*info)->is_writing;
}

bool has_parents(const RunConfig& config) {
  const auto info = search::find_strategy(config.strategy);
  return info && (*info)->has_parents;
}

bool is_lifted(const std::vector<Order>& orders, int number) {
  return std::ranges::any_of(
      orders, [&](const Order& o) { return o.kind == OrderKind::Lift && o.lifts == number; });
}

Result<const AttemptLine*> line_of_order(const Order& order, const OrderContext& c) {
  const auto count = static_cast<int>(c.lines.size());
  if (order.attempt < 1 || order.attempt > count)
    return fail_input(ErrorCode::NotFound, About{fmt::format("attempt {}", order.attempt)},
                      fmt::format("this run has no attempt {}; the number of its attempts is {}",
                                  order.attempt, count));
  return &c.lines[static_cast<std::size_t>(order.attempt - 1)];
}

/// The order that forbids deriving from this attempt; null: there is none.
const Order* stopping(int attempt, const OrderContext& c) {
  for (const Order& order : c.orders) {
    if (order.kind != OrderKind::Stop || is_lifted(c.orders, order.number)) continue;
    int at = attempt;
    while (at > order.attempt) at = c.lines[static_cast<std::size_t>(at - 1)].parent;
    if (at == order.attempt) return &order;
  }
  return nullptr;
}

Result<> check_parent(const Order& order, const OrderContext& c) {
  const char* verb = order.kind == OrderKind::Pin ? "pin" : "stop";
  if (!has_parents(c.config))
    return fail_input(
        ErrorCode::Unsupported, About{c.config.strategy},
        fmt::format("strategy '{}' derives nothing from its attempts: there is nothing to "
                    "{}",
                    c.config.strategy, verb));
  const AttemptLine* line = KW_TRY(line_of_order(order, c));
  if (const Order* stop = stopping(order.attempt, c))
    return fail_input(ErrorCode::WrongState,
                      About{fmt::format("given up by order {}", stop->number)},
                      fmt::format("attempt {} was given up by order {}; lift that first",
                                  order.attempt, stop->number));
  if (!asks_writers(c.config) && line->parent != 0)
    return fail_input(ErrorCode::Contradiction,
                      About{fmt::format("setting of attempt {}", line->parent)},
                      fmt::format("attempt {} is a setting of the knobs of attempt {}: {} that one",
                                  order.attempt, line->parent, verb));
  if (order.kind == OrderKind::Stop) return {};
  if (line->outcome != Outcome::Correct)
    return fail_input(
        ErrorCode::WrongState, About{"not correct"},
        fmt::format("attempt {} cannot be pinned, because only a correct attempt can: {}",
                    order.attempt, line->words));
  if (!asks_writers(c.config) && line->knobs.empty())
    return fail_input(ErrorCode::Unsupported, About{"no knobs"},
                      fmt::format("attempt {} has no knobs that could be tuned", order.attempt));
  return {};
}

Result<> check_technique(const Order& order, const OrderContext& c) {
  if (order.text.empty())
    return fail_input(ErrorCode::Missing, About{"technique"}, "which technique?");
  if (asks_writers(c.config)) return {};
  std::set<std::string> shown;
  for (const search::Idea& idea : c.ideas)
    shown.insert(idea.techniques.begin(), idea.techniques.end());
  const std::vector<std::string> names(shown.begin(), shown.end());
  if (!shown.contains(order.text))
    return fail_input(ErrorCode::NotFound, About{order.text},
                      fmt::format("no idea of this run shows the technique '{}'{}; there are: {}",
                                  order.text, suggestion(order.text, names), join(names, ", ")));
  std::vector<Order> all = c.orders;
  all.push_back(order);
  all.back().number = static_cast<int>(all.size());
  for (Order& o : all) o.from_attempt = 1;
  if (steering_of(in_force(all, 1), c.ideas).closed.size() == c.ideas.size())
    return fail_input(ErrorCode::Contradiction, About{"no idea left"},
                      "this order would leave the run no idea to try");
  return {};
}

Result<> check_lift(const Order& order, const OrderContext& c) {
  const auto count = static_cast<int>(c.orders.size());
  if (order.lifts < 1 || order.lifts > count)
    return fail_input(ErrorCode::NotFound, About{fmt::format("order {}", order.lifts)},
                      fmt::format("this run has no order {}; the number of its orders is {}",
                                  order.lifts, count));
  const Order& lifted = c.orders[static_cast<std::size_t>(order.lifts - 1)];
  if (lifted.kind == OrderKind::Budget || lifted.kind == OrderKind::Lift ||
      lifted.kind == OrderKind::Finish)
    return fail_input(ErrorCode::Unsupported, About{"lift"},
                      fmt::format("order {} ({}) cannot be lifted", order.lifts, words_of(lifted)));
  if (is_lifted(c.orders, order.lifts))
    return fail_input(ErrorCode::WrongState, About{"lifted"},
                      fmt::format("order {} is lifted already", order.lifts));
  return {};
}

/// Checks that a limit is raised; `now` = 0: there is no limit.
template <class T>
Result<> check_bound(const char* what, T now, T wanted) {
  if (now <= 0)
    return fail_input(ErrorCode::Missing, About{std::string(what)},
                      fmt::format("this run has no bound on {} that could be raised", what));
  if (wanted <= now)
    return fail_input(
        ErrorCode::OutOfRange, About{std::string(what)},
        fmt::format("a budget can only be raised, and the bound on {} is {} now", what, now));
  return {};
}

Result<> check_budget(const RaisedBudget& wanted, const RaisedBudget& now) {
  if (wanted.max_attempts != 0)
    KW_TRY(check_bound("attempts", now.max_attempts, wanted.max_attempts));
  if (wanted.max_time_ns != 0)
    KW_TRY(check_bound("seconds", static_cast<double>(now.max_time_ns) / 1e9,
                       static_cast<double>(wanted.max_time_ns) / 1e9));
  if (wanted.models.usd)
    KW_TRY(check_bound("dollars", now.models.usd.value_or(0), *wanted.models.usd));
  if (wanted.models.tokens)
    KW_TRY(check_bound("tokens", now.models.tokens.value_or(0), *wanted.models.tokens));
  if (wanted.models.calls)
    KW_TRY(check_bound("model calls", now.models.calls.value_or(0), *wanted.models.calls));
  return {};
}

}  // namespace

RaisedBudget bounds_of(const RunConfig& config, const std::vector<Order>& orders) {
  RaisedBudget bounds{config.max_attempts, config.max_time_ns, config.limits};
  for (const Order& order : orders) {
    const RaisedBudget& b = order.budget;
    if (b.max_attempts > 0) bounds.max_attempts = b.max_attempts;
    if (b.max_time_ns > 0) bounds.max_time_ns = b.max_time_ns;
    if (b.models.usd) bounds.models.usd = b.models.usd;
    if (b.models.tokens) bounds.models.tokens = b.models.tokens;
    if (b.models.calls) bounds.models.calls = b.models.calls;
  }
  return bounds;
}

Result<> check_order(const Order& order, const OrderContext& context) {
  for (const Order& earlier : context.orders)
    if (earlier.kind == OrderKind::Finish)
      return fail_input(ErrorCode::WrongState,
                        About{fmt::format("ended by order {}", earlier.number)},
                        fmt::format("order {} of {} ends its search: nothing more will be asked",
                                    earlier.number, earlier.who));
  switch (order.kind) {
    case OrderKind::Hint:
      if (order.text.empty())
        return fail_input(ErrorCode::Missing, About{"hint"},
                          "the hint is empty: say what the model should know");
      if (!asks_writers(context.config))
        return fail_input(ErrorCode::Unsupported, About{"hint"},
                          "a hint is for a model that writes, and no model writes in this run");
      return {};
    case OrderKind::Forbid:
    case OrderKind::Require:
      return check_technique(order, context);
    case OrderKind::Pin:
    case OrderKind::Stop:
      return check_parent(order, context);
    case OrderKind::Budget:
      return check_budget(order.budget, bounds_of(context.config, context.orders));
    case OrderKind::Lift:
      return check_lift(order, context);
    case OrderKind::Finish:
      return {};
  }
  KW_ASSERT(false);
}

}  // namespace kw::engine
