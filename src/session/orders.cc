// Checks the orders that people give to runs, and words them.
// SPDX-License-Identifier: Apache-2.0
#include "session/orders.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/order_rules.h"
#include "engine/orders.h"
#include "search/budget.h"
#include "session/searching/run_workbench.h"

namespace kw::session {
namespace {

/// Whether a process works on the run now; an error if the run will make no further attempts, so
/// that an order would have no effect.
Result<bool> is_going_on(const RunSummary& run) {
  if (run.state == RunState::Finished)
    return fail_input(ErrorCode::WrongState, About{"ended"},
                      "the run has ended (" + run.stopped_by + "); start a new one", run.name);
  const bool is_held = run.state == RunState::Running;
  // An interrupted run confirms no winner and can be resumed, so the order takes effect on
  // resumption.
  const bool is_interrupted = run.stopped_by == search::kInterrupt;
  if (is_held && is_interrupted) return false;
  if (is_held && !run.stopped_by.empty())
    return fail_input(
        ErrorCode::WrongState, About{"confirming"},
        "the search of this run is over (" + run.stopped_by + "), the winner is being confirmed",
        run.name);
  return is_held;
}

Result<> check_orders(const Options& options, const store::RunStore& store, const RunSummary& run,
                      const std::vector<Order>& wanted, std::vector<Order> known) {
  std::vector<AttemptLine> lines;
  KW_TRY(store.attempts().for_each_line(run.id,
                                        [&](const AttemptLine& line) { lines.push_back(line); }));
  std::vector<search::Idea> ideas;
  const bool asks_for_techniques = std::ranges::any_of(wanted, [](const Order& o) {
    return o.kind == OrderKind::Forbid || o.kind == OrderKind::Require;
  });
  if (asks_for_techniques) ideas = KW_TRY(workbench_of(options, run))->ideas();
  for (const Order& order : wanted) {
    if (auto fits = engine::check_order(order, {run.config, lines, ideas, known}); !fits)
      return fail_input(fits.error().code, About{fits.error().about}, fits.error().what, run.name);
    known.push_back(order);
    known.back().number = static_cast<int>(known.size());
  }
  return {};
}

}  // namespace

Result<std::vector<Order>> orders_of(const store::RunStore& store, std::int64_t run) {
  return engine::orders_of(store, run);
}

std::string words_of(const Order& order) { return engine::words_of(order); }

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
    lines.push_back(fmt::format("{} of {}: {}; {}", order.number, order.who, words_of(order),
                                state_of(order, orders, run)));
  return lines;
}

Result<Steering> Steering::open(const Options& options, const std::string& run) {
  auto store = KW_TRY(store::RunStore::open(options.workspace));
  auto summary = KW_TRY(store.find(run));
  return Steering(options, std::move(store), std::move(summary));
}

Result<SteeredRun> Steering::give(const std::vector<Order>& wanted) {
  SteeredRun steered;
  steered.run = run_;
  const auto known = KW_TRY(engine::orders_of(store_, run_.id));
  steered.known = known.size();
  if (!wanted.empty()) {
    steered.is_running = KW_TRY(is_going_on(run_));
    KW_TRY(check_orders(options_, store_, run_, wanted, known));
    KW_TRY(engine::give_orders(store_, run_.id, wanted));
  }
  steered.orders = KW_TRY(engine::orders_of(store_, run_.id));
  return steered;
}

}  // namespace kw::session
