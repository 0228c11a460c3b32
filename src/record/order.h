// What a person in charge ordered while a run went on, and from where it took effect.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "record/enums.h"
#include "record/exchange.h"

namespace kw {

enum class OrderKind {
  Hint,     ///< Words for whoever writes.
  Forbid,   ///< A technique that is not to be used.
  Require,  ///< A technique that is to be used.
  Pin,      ///< Everything derives from one attempt.
  Stop,     ///< Nothing derives from an attempt any more, nor from what was made from it.
  Budget,   ///< A bound of the run is raised.
  Lift,     ///< An earlier order holds no longer.
  Finish,   ///< Nothing more is asked: the best so far is confirmed, and the run ends.
};
template <>
struct EnumNames<OrderKind> {
  static constexpr std::array<std::string_view, 8> names{"hint", "forbid", "require", "pin",
                                                         "stop", "budget", "lift",    "finish"};
};

/// New bounds of a run; what is 0 or absent stays as it was.
struct RaisedBudget {
  std::int64_t max_attempts = 0;
  std::int64_t max_time_ns = 0;
  SpendLimits models;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("max_attempts", s.max_attempts), v("max_time_ns", s.max_time_ns), v("models", s.models);
  }
};

/// Takes effect between two asks of a run; the place is part of the run's inputs.
struct Order {
  int number = 0;  ///< From 1, in the order of giving.
  OrderKind kind = OrderKind::Hint;
  std::string text;      ///< Of Hint: the words, one line; of Forbid and Require: the technique.
  int attempt = 0;       ///< Of Pin and Stop.
  int lifts = 0;         ///< Of Lift: number of the order.
  RaisedBudget budget;   ///< Of Budget.
  std::string who;       ///< Login name.
  std::string at;        ///< When it was given: UTC, ISO 8601.
  int from_attempt = 0;  ///< The first attempt that was asked under it; 0: none yet.
  int told = 0;          ///< Attempts whose outcomes the strategy knew when it took effect.

  bool has_effect() const { return from_attempt > 0; }

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("number", s.number), v("kind", s.kind), v("text", s.text), v("attempt", s.attempt),
        v("lifts", s.lifts), v("budget", s.budget), v("who", s.who), v("at", s.at),
        v("from_attempt", s.from_attempt), v("told", s.told);
  }
};

}  // namespace kw
