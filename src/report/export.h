// A run for other programs, attempt by attempt: trajectories and a Chrome trace.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "report/run_data.h"
#include "store/run_store.h"

namespace kw::report {

/// One line of JSON per attempt: state (what was known), action (ask and source), outcome class,
/// reward, verdict, what was measured. docs/formats.md has the keys.
class Trajectories {
 public:
  /// `data` must outlive the object.
  explicit Trajectories(const RunData& data) : data_(data) {}
  /// The line of the next attempt, in order, with its source; empty where nobody answered: nothing
  /// was proposed there.
  std::string line(const Attempt& attempt);

 private:
  const RunData& data_;
  std::deque<AttemptLine> untold_;  ///< Attempts whose outcome the next ask may not have known.
  int told_ = 0;
  int best_attempt_ = 0;
  double best_speedup_ = 1;
};

/// Reads a line of Trajectories back, as far as it holds the attempt: without samples, findings,
/// exchanges. `origin` names the text in errors.
Result<Attempt> read_trajectory(std::string_view line, const std::string& origin);

/// The run as a Chrome trace (chrome://tracing, Perfetto), piece by piece, in four lanes: a slice
/// per attempt, the confirmations after them; and below, the stages in which its model wrote, it
/// was screened and compiled, and it held the device. The order of stages is that of a candidate's
/// life; their lengths were measured, their starts follow from them.
class ChromeTrace {
 public:
  std::string begin(const RunData& data) const;
  std::string attempt(const Attempt& attempt);
  /// Events other than confirmations are left out.
  std::string event(const store::Event& event);
  std::string end() const;

 private:
  double before_ns_ = 0;
};

}  // namespace kw::report
