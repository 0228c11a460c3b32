// Exports a run for other programs, attempt by attempt: as trajectories or as a Chrome trace.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "report/run_data.h"
#include "store/run_store.h"

namespace kw::report {

/// Formats attempts as lines of JSON: state (what the search knew), action (request and source),
/// outcome class, reward, verdict and measurements. docs/formats.md lists the keys.
class Trajectories {
 public:
  /// `data` must outlive the object.
  explicit Trajectories(const RunData& data) : data_(data) {}
  /// The line of an attempt; empty if a model gave no answer, since nothing was proposed. Attempts
  /// must be passed in order and with their sources.
  std::string line(const Attempt& attempt);

 private:
  const RunData& data_;
  std::deque<AttemptLine> untold_;  ///< Attempts that may have been in flight at the next ask.
  int told_ = 0;
  int best_attempt_ = 0;
  double best_speedup_ = 1;
};

/// Reads an attempt back from a line that Trajectories wrote. Samples, findings and exchanges stay
/// empty, since the line lacks them. `origin` names the text in errors.
Result<Attempt> read_trajectory(std::string_view line, const std::string& origin);

/// Writes the run piece by piece as a Chrome trace, for chrome://tracing and Perfetto. The first of
/// four lanes has a slice for each attempt and confirmation; the others show the stages of models,
/// compiler and device. The lengths of stages were measured; their starts are computed from the
/// lengths and from the order in which a candidate passes the stages.
class ChromeTrace {
 public:
  std::string begin(const RunData& data) const;
  std::string attempt(const Attempt& attempt);
  /// The slices of a confirmation; empty for other kinds of events.
  std::string event(const store::Event& event);
  std::string end() const;

 private:
  double before_ns_ = 0;
};

}  // namespace kw::report
