// Order: what a person told a run while it went on, and from which attempt on it took effect.
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
  Hint,     ///< Words for whoever writes the next source.
  Forbid,   ///< A technique that must not be used.
  Require,  ///< A technique that must be used.
  Pin,      ///< Every later attempt derives from one given attempt.
  Stop,     ///< No later attempt derives from a given attempt or from its descendants.
  Budget,   ///< A bound of the run is raised.
  Lift,     ///< An earlier order no longer applies.
  Finish,   ///< No further asks: the best so far is confirmed, and the run ends.
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

/// An order takes effect between two asks of a run; the place is stored and repeated by a replay.
struct Order {
  int number = 0;  ///< Counted from 1, in the order of giving.
  OrderKind kind = OrderKind::Hint;
  /// Text of the order. Hint: the words, on one line. Forbid and Require: the name of the
  /// technique.
  std::string text;
  int attempt = 0;       ///< Pin and Stop: number of the attempt.
  int lifts = 0;         ///< Lift: number of the order that is lifted.
  RaisedBudget budget;   ///< Budget: the new bounds.
  std::string who;       ///< Login name of whoever gave the order.
  std::string at;        ///< When the order was given: UTC, ISO 8601.
  int from_attempt = 0;  ///< First attempt that was asked under the order; 0: none yet.
  int told = 0;          ///< Number of outcomes that the strategy knew when the order took effect.

  bool has_effect() const { return from_attempt > 0; }

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("number", s.number), v("kind", s.kind), v("text", s.text), v("attempt", s.attempt),
        v("lifts", s.lifts), v("budget", s.budget), v("who", s.who), v("at", s.at),
        v("from_attempt", s.from_attempt), v("told", s.told);
  }
};

}  // namespace kw
