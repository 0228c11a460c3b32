// kw steer RUN: gives orders to a running search, from another terminal.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/model_flags.h"
#include "cli/order_view.h"
#include "platform/clock.h"
#include "search/budget.h"
#include "session/orders.h"

namespace kw::cli {
namespace {

/// Most characters of a hint to the model, which a person types.
constexpr std::size_t kMostWords = 2000;

struct SteerFlags {
  std::string run;
  std::vector<std::string> hints;
  std::vector<std::string> forbidden;
  std::vector<std::string> required;
  std::int64_t pin = 0;
  std::vector<std::string> stops;
  std::vector<std::string> lifts;
  std::int64_t attempts = 0;
  std::string time;
  SpendFlags spend;
  bool finish = false;
  bool list = false;
};

std::string login_name() {
  const struct passwd* entry = ::getpwuid(::geteuid());
  return entry != nullptr && *entry->pw_name != '\0' ? entry->pw_name
                                                     : fmt::format("uid {}", ::geteuid());
}

/// The text of a hint on one line, as prompts and the decision log show it.
Result<std::string> one_line(const std::string& words) {
  std::string line(trim(words));
  std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  if (line.size() > kMostWords)
    return fail_input(ErrorCode::TooLarge, About{"order"},
                      fmt::format("the text of an order has more than {} bytes", kMostWords),
                      "steer");
  return line;
}

Result<int> number_of(const std::string& text, const char* what) {
  if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos)
    return fail_input(
        ErrorCode::BadInput, About{what},
        fmt::format("{} takes the number of an attempt or order, not '{}'", what, text), "steer");
  return std::stoi(text);
}

Result<RaisedBudget> budget_of(const SteerFlags& flags) {
  RaisedBudget budget;
  budget.max_attempts = flags.attempts;
  if (!flags.time.empty()) budget.max_time_ns = KW_TRY(search::parse_duration(flags.time));
  budget.models = KW_TRY(flags.spend.limits());
  return budget;
}

bool is_set(const RaisedBudget& b) {
  return b.max_attempts != 0 || b.max_time_ns != 0 || b.models.usd || b.models.tokens ||
         b.models.calls;
}

Result<std::vector<Order>> orders_from(const SteerFlags& flags) {
  std::vector<Order> orders;
  const auto add = [&](OrderKind kind) -> Order& {
    orders.emplace_back().kind = kind;
    return orders.back();
  };
  for (const std::string& number : flags.lifts)
    add(OrderKind::Lift).lifts = KW_TRY(number_of(number, "--lift"));
  for (const std::string& words : flags.hints) add(OrderKind::Hint).text = KW_TRY(one_line(words));
  for (const std::string& technique : flags.forbidden)
    add(OrderKind::Forbid).text = KW_TRY(one_line(technique));
  for (const std::string& technique : flags.required)
    add(OrderKind::Require).text = KW_TRY(one_line(technique));
  if (flags.pin != 0) add(OrderKind::Pin).attempt = static_cast<int>(flags.pin);
  for (const std::string& number : flags.stops)
    add(OrderKind::Stop).attempt = KW_TRY(number_of(number, "--stop"));
  const RaisedBudget budget = KW_TRY(budget_of(flags));
  if (is_set(budget)) add(OrderKind::Budget).budget = budget;
  if (flags.finish && !orders.empty())
    return fail_input(ErrorCode::Contradiction, About{"--finish"},
                      "--finish ends the search, so it cannot be combined with other orders",
                      "steer");
  if (flags.finish) add(OrderKind::Finish);
  for (Order& order : orders) {
    order.who = login_name();
    order.at = platform::utc_text(platform::real_clock().wall_seconds());
  }
  return orders;
}

void report_orders(const Global& global, const RunSummary& run, const std::vector<Order>& orders) {
  if (global.json) {
    const Json object = {{"run", run.name}, {"orders", orders_json(orders, run)}};
    std::printf("%s\n", dump_json(object).c_str());
    return;
  }
  if (orders.empty()) fmt::print("no orders were given to {}\n", run.name);
  print_orders(orders, run);
}

Result<int> steer(const Global& global, const SteerFlags& flags) {
  // A run that does not exist is the first thing to complain about.
  auto steering = KW_TRY(session::Steering::open(global, flags.run));
  const auto wanted = KW_TRY(orders_from(flags));
  if (wanted.empty() && !flags.list)
    return fail_input(
        ErrorCode::Missing, About{"order"},
        "no order was given: give --hint, --forbid, --require, --pin, --stop, --lift, a budget, "
        "--finish, or --list",
        steering.run().name);
  auto steered = KW_TRY(steering.give(wanted));
  const RunSummary& run = steered.run;
  if (!wanted.empty() && !global.json) {
    const std::string effect =
        !steered.is_running ? "when the run goes on, by: kw resume " + run.name
        : flags.finish
            ? "once the kernel that is being judged has ended; then the best is confirmed"
            : "before the run asks for its next kernel";
    fmt::print("the order is stored; it takes effect {}\n", effect);
  }
  auto& orders = steered.orders;
  if (!flags.list)
    orders.erase(orders.begin(), orders.begin() + static_cast<std::ptrdiff_t>(steered.known));
  report_orders(global, run, orders);
  return kDone;
}

}  // namespace

Command steer_command() {
  auto flags = std::make_shared<SteerFlags>();
  Command command;
  command.name = "steer";
  command.summary = "Give orders to a run while it goes, or list its orders";
  command.declare = [flags](Flags& f) {
    f.positional("run", flags->run, "Name of a run, as kw runs lists it");
    f.texts("--hint", flags->hints, "What is worth trying, in words; repeatable");
    f.texts("--forbid", flags->forbidden, "Technique that kernels must not use; repeatable");
    f.texts("--require", flags->required, "Technique that kernels must use; repeatable");
    f.integer("--pin", flags->pin, "Derive all further kernels from this attempt", {1});
    f.texts("--stop", flags->stops,
            "Derive no more kernels from this attempt or from those made from it; repeatable");
    f.texts("--lift", flags->lifts, "Withdraw an earlier order, by its number; repeatable");
    f.integer("--attempts", flags->attempts, "New bound on attempts, above the present one", {1});
    f.text("--time", flags->time, "New bound on time, e.g. 10m");
    flags->spend.declare(f);
    f.on_off("--finish", flags->finish, "End the search now and confirm the best so far");
    f.on_off("--list", flags->list, "List all orders so far");
  };
  command.run = [flags](const Global& global) {
    return end_command(global, steer(global, *flags));
  };
  return command;
}

}  // namespace kw::cli
