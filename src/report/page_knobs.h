// Collects which values of each knob a run tried, and draws a plot for each knob.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "record/attempt.h"
#include "report/page_parts.h"

namespace kw::report {

/// Collects attempts by the values of their knobs. Memory grows with the number of different
/// values, not with that of attempts.
class KnobTally {
 public:
  /// `kernel` is the name of the best attempt's kernel; empty: no attempt was correct.
  explicit KnobTally(std::string kernel) : kernel_(std::move(kernel)) {}
  void add(const AttemptLine& line);

  /// Sets a plot for each knob with several tried values; knobs of the best kernel come first.
  void set_fields(PageFields& fields) const;

 private:
  struct Best {
    double speedup = 0;  ///< Speedup over the baseline; 0: no attempt was correct.
    int attempt = 0;
  };
  struct Value {
    int attempts = 0;
    int failed = 0;
    Best own;  ///< The best attempt of the best kernel at this value.
    Best any;  ///< The best attempt of any kernel at this value.
  };
  struct Dot {
    std::int64_t value = 0;
    double speedup = 0;
    int attempt = 0;
    bool is_own = false;
  };
  struct OneKnob {
    std::map<std::int64_t, Value> values;
    std::vector<Dot> dots;  ///< Every `stride`-th correct attempt.
    std::size_t correct = 0;
    std::size_t stride = 1;
    bool is_own = false;  ///< The best kernel has the knob.
  };

  static void add_dot(OneKnob& knob, const Dot& dot);
  std::string plot(const std::string& name, const OneKnob& knob) const;
  static bool shows_own(const OneKnob& knob);
  static const Best& best_of(const Value& value, bool is_own) {
    return is_own ? value.own : value.any;
  }
  static std::string words(const OneKnob& knob);

  std::string kernel_;
  std::map<std::string, OneKnob> knobs_;
  double slowest_ = 1;  ///< Least speedup among attempts that have knobs.
  double fastest_ = 1;
  bool has_range_ = false;
};

}  // namespace kw::report
