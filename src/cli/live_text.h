// The lines that a run prints, for a given terminal width and colour setting. Functions have no
// side effects, so that tests read every line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/styled.h"
#include "session/optimize.h"

namespace kw::cli {

using Lines = std::vector<OwnLine>;

/// The state of a run, for the status line at the bottom of the terminal.
struct LiveState {
  int attempt = 0;    ///< The attempt in progress; 0: none.
  std::string what;   ///< The current step, such as "measuring 30_skewed BY=32".
  double what_s = 0;  ///< Seconds since the step began.
  /// Seconds of the run, without waiting for the device; below 0: the run has not begun.
  double elapsed_s = -1;
  double budget_s = 0;        ///< Bound on the run's seconds; 0: no bound.
  std::int64_t attempts = 0;  ///< Bound on the number of attempts; 0: no bound.
  double best = 0;            ///< The best speedup; 0: none yet.
  bool is_waiting = false;    ///< Whether the run waits for the device.
  bool is_finishing = false;  ///< Whether a person has interrupted the run.
};

/// Formats the lines of a run for one look (width and colours). In a file, where lines have no
/// bound, each line is complete; a terminal of at least 60 columns shows an attempt on one line, a
/// narrower one folds the line.
class LiveText {
 public:
  explicit LiveText(const Look& look) : look_(look) {}

  Lines timing(const std::vector<std::string>& baselines) const;
  Lines baseline(const session::BaselineStanding& baseline) const;
  Lines start(const RunSummary& run, const std::string& baseline) const;
  Lines written(int number, const session::WrittenSource& source, const Spending& spent) const;
  /// `best` is the run's best speedup after the attempt.
  Lines attempt(const Attempt& attempt, double best) const;
  Lines order(const Order& order) const;
  Lines confirm(const Attempt& attempt) const;
  Lines notice(const std::string& text) const;
  /// The message for a person who has interrupted the run.
  Lines interrupted(const std::string& what) const;
  /// The status line at the bottom of the terminal; if it is too long, the least important part is
  /// left out first.
  OwnLine status(const LiveState& state) const;

 private:
  bool is_narrow() const;
  Lines short_attempt(const Attempt& attempt) const;

  Look look_;
};

}  // namespace kw::cli
