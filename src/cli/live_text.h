// What a run says as it goes, as lines of a given look: pure, so that tests read every line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/styled.h"
#include "engine/run.h"

namespace kw::cli {

using Lines = std::vector<OwnLine>;

/// What is going on, for the line at the bottom.
struct LiveState {
  int attempt = 0;            ///< In progress; 0: none.
  std::string what;           ///< Is done, such as "measuring 30_skewed BY=32".
  double what_s = 0;          ///< Since when, in seconds.
  double elapsed_s = -1;      ///< Of the run, without waiting for the device; below 0: not begun.
  double budget_s = 0;        ///< Of the run; 0: no bound.
  std::int64_t attempts = 0;  ///< Most; 0: no bound.
  double best = 0;            ///< Speedup; 0: none yet.
  bool is_waiting = false;    ///< For the device.
  bool is_finishing = false;  ///< A person has interrupted.
};

/// Lines of a run in one look. Where lines have no bound, as in a file, each says all there is; on
/// a terminal of 60 columns and more an attempt is one line, below that it is folded.
class LiveText {
 public:
  explicit LiveText(const Look& look) : look_(look) {}

  Lines timing(const std::vector<std::string>& baselines) const;
  Lines baseline(const engine::BaselineStanding& baseline) const;
  Lines start(const RunSummary& run, const std::string& baseline) const;
  Lines written(int number, const engine::WrittenSource& source, const Spending& spent) const;
  /// `best`: the run's best speedup after it.
  Lines attempt(const Attempt& attempt, double best) const;
  Lines order(const Order& order) const;
  Lines confirm(const Attempt& attempt) const;
  Lines notice(const std::string& text) const;
  /// What a person is told who interrupts.
  Lines interrupted(const std::string& what) const;
  /// The line at the bottom: what matters least is left out first.
  OwnLine status(const LiveState& state) const;

 private:
  bool is_narrow() const;
  Lines short_attempt(const Attempt& attempt) const;

  Look look_;
};

}  // namespace kw::cli
