// Loop: the part of a run that decides, free of devices and files, so that resume and replay are
// the same code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/standing.h"
#include "engine/workbench.h"
#include "search/budget.h"
#include "search/strategy.h"

namespace kw::engine {

/// An ask that waits for its evaluation.
struct InFlight {
  int number = 0;  ///< Of the attempt.
  search::Ask ask;
  Candidate candidate;
  Incumbent opponent;  ///< As it stood at the ask.
};

/// Takes the decision log as it grows: one line per decision; equal attempts give equal lines.
using DecisionLog = std::function<void(const std::string& line)>;

class Loop {
 public:
  /// `workbench` must outlive the loop. An unknown strategy, tuner or policy is an error.
  static Result<Loop> create(const Workbench& workbench, const RunConfig& config,
                             Candidate baseline, DecisionLog log);

  /// The next proposal, as long as no rule says stop and the limits allow; nothing: absorb first,
  /// or the run is over.
  Result<std::optional<InFlight>> ask();
  /// Takes the evaluation of the oldest ask in flight (`attempt.evaluation`, `attempt.at_ns` set by
  /// the caller) and completes the attempt.
  void absorb(Attempt& attempt);

  const std::deque<InFlight>& in_flight() const { return in_flight_; }
  Standing& standing() { return standing_; }
  /// Why no more will be asked; empty while the run goes on.
  const std::string& stopped_by() const { return stopped_by_; }

 private:
  Loop(const Workbench& workbench, const RunConfig& config,
       std::unique_ptr<search::Strategy> strategy, Standing standing, DecisionLog log);
  void check_rules();
  void log_tell(const InFlight& flight, const Attempt& attempt);

  const Workbench& workbench_;
  RunConfig config_;
  std::unique_ptr<search::Strategy> strategy_;
  Standing standing_;
  search::StopRule rule_;
  std::deque<InFlight> in_flight_;
  int asked_ = 0;
  std::string stopped_by_;
  DecisionLog log_;
};

}  // namespace kw::engine
