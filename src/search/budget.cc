// Stop rules, and the parsers of goals and durations.
// SPDX-License-Identifier: Apache-2.0
#include "search/budget.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace kw::search {
namespace {

struct Unit {
  std::string_view name;
  double ns;
};
constexpr std::array kUnits{Unit{"ns", 1},  Unit{"us", 1e3}, Unit{"ms", 1e6},
                            Unit{"s", 1e9}, Unit{"m", 60e9}, Unit{"h", 3600e9}};

struct Quantity {
  double value;
  std::string_view unit;
};

// Parses a number in plain digits, followed by letters. A number out of range becomes infinite.
std::optional<Quantity> parse_number(std::string_view text) {
  text = trim(text);
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  double value = 0;
  const char* end = text.data() + digits;
  const auto [stop, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (error == std::errc::invalid_argument || stop != end) return std::nullopt;
  if (error == std::errc::result_out_of_range) value = HUGE_VAL;
  return Quantity{value, text.substr(digits)};
}

std::optional<Quantity> parse_quantity(std::string_view text) {
  auto number = parse_number(text);
  if (number && number->value > 0 && std::isfinite(number->value)) return number;
  return std::nullopt;
}

std::optional<double> ns_of(const std::optional<Quantity>& quantity) {
  if (!quantity) return std::nullopt;
  for (const Unit& unit : kUnits)
    if (unit.name == quantity->unit) return quantity->value * unit.ns;
  return std::nullopt;
}

}  // namespace

StopRule attempt_limit(std::int64_t attempts) {
  return [attempts](const Statistics& s) -> std::optional<std::string> {
    if (s.attempts < attempts) return std::nullopt;
    return fmt::format("attempts: {} of {} made", s.attempts, attempts);
  };
}

StopRule time_limit(double budget_ns, double kept_back) {
  return [=](const Statistics& s) -> std::optional<std::string> {
    if (s.spent_ns < budget_ns * (1 - kept_back)) return std::nullopt;
    return fmt::format("time: {:.3g} s of {:.3g} s spent, the rest is for confirming the winner",
                       s.spent_ns / 1e9, budget_ns / 1e9);
  };
}

StopRule goal_reached(const Goals& goals) {
  return [goals](const Statistics& s) -> std::optional<std::string> {
    if (!s.has_best) return std::nullopt;
    std::vector<std::string> reached;
    if (goals.time_ns) {
      if (!(s.best_time_ns > 0 && s.best_time_ns <= *goals.time_ns)) return std::nullopt;
      reached.push_back(format_ns(*goals.time_ns));
    }
    if (goals.speedup) {
      if (s.best_speedup < *goals.speedup) return std::nullopt;
      reached.push_back(fmt::format("{:.4g}x", *goals.speedup));
    }
    if (goals.roof) {
      if (s.best_roof < *goals.roof) return std::nullopt;
      reached.push_back(fmt::format("{:.4g} of the roofline", *goals.roof));
    }
    if (reached.empty()) return std::nullopt;
    return "goal: reached " + join(reached, ", ");
  };
}

StopRule patience(std::int64_t attempts) {
  return [attempts](const Statistics& s) -> std::optional<std::string> {
    if (s.attempts_since_best < attempts) return std::nullopt;
    return fmt::format("patience: no new best in {} attempts", s.attempts_since_best);
  };
}

StopRule stagnation(std::int64_t attempts) {
  return [attempts](const Statistics& s) -> std::optional<std::string> {
    if (s.fruitless < attempts) return std::nullopt;
    return fmt::format("stagnation: {} attempts to write in a row brought nothing new to judge",
                       s.fruitless);
  };
}

StopRule interrupted() {
  return [](const Statistics& s) -> std::optional<std::string> {
    if (!s.is_interrupted) return std::nullopt;
    return kInterrupt;
  };
}

StopRule strategy_finished() {
  return [](const Statistics& s) -> std::optional<std::string> {
    if (s.strategy_finished.empty()) return std::nullopt;
    return "strategy: " + s.strategy_finished;
  };
}

StopRule first_of(std::vector<StopRule> rules) {
  return [rules = std::move(rules)](const Statistics& s) -> std::optional<std::string> {
    for (const StopRule& rule : rules)
      if (auto why = rule(s)) return why;
    return std::nullopt;
  };
}

Result<Goals> parse_goal(std::string_view text, Goals others) {
  if (const auto ns = ns_of(parse_quantity(text))) {
    others.time_ns = ns;
    return others;
  }
  const auto quantity = parse_quantity(text);
  if (quantity && quantity->unit == "x") {
    others.speedup = quantity->value;
    return others;
  }
  if (quantity && quantity->unit == "roof") {
    if (quantity->value > 1)
      return fail_input(ErrorCode::OutOfRange, About{std::string(text)},
                        fmt::format("goal '{}': a fraction of the roofline is at most 1", text));
    others.roof = quantity->value;
    return others;
  }
  return fail_input(
      ErrorCode::BadInput, About{std::string(text)},
      fmt::format("goal '{}' is none of a time (2.5ms), a speedup (8x) and a fraction of the "
                  "roofline (0.9roof)",
                  text));
}

Result<std::int64_t> parse_duration(std::string_view text) {
  const auto ns = ns_of(parse_number(text));
  constexpr double kMostNs = 365.0 * 24 * 3600e9;
  if (!ns)
    return fail_input(ErrorCode::BadInput, About{std::string(text)},
                      fmt::format("duration '{}' is not a number in plain digits with a unit (ns, "
                                  "us, ms, s, m, h), such as "
                                  "120s or 5m",
                                  text));
  if (*ns < 1)
    return fail_input(ErrorCode::OutOfRange, About{"below 1ns"},
                      fmt::format("duration '{}' is shorter than a nanosecond", text));
  if (*ns > kMostNs)
    return fail_input(ErrorCode::OutOfRange, About{"above 8760h"},
                      fmt::format("duration '{}' is too long: a year is the most, 8760h", text));
  return static_cast<std::int64_t>(std::llround(*ns));
}

}  // namespace kw::search
