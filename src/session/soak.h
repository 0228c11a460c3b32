// Soaks: judges one kernel on fresh inputs again and again for a given time, with its whole output
// checked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "session/aim.h"
#include "session/options.h"
#include "session/soak_tally.h"

namespace kw::session {

struct SoakRequest {
  std::string file;
  std::string task;
  Aim aim{};
  std::vector<std::string> settings{};  ///< Knob values "K=V".
  double budget_ns = 0;  ///< How long to judge, without waits for other users of the device.
  std::string grow{};    ///< The dim that is doubled to see how the error grows; empty: none.
};

struct SoakResult {
  std::string task;
  std::string dim;  ///< The dim that was doubled; empty: none.
  SoakTally tally;
  std::vector<GrowthPoint> growth;
  std::string growth_ended;  ///< Why the dim was not doubled further.
  bool is_interrupted = false;
  Verdict verdict{Stage::Check, Outcome::Correct, ""};
  double elapsed_ns = 0;
};

/// Judges at least once, and ends early after a wrong output or an interruption
/// (Options::is_interrupted), which keeps what was judged before. Errors: the task or file cannot
/// be used, or this machine cannot judge.
Result<SoakResult> soak(const Options& options, const SoakRequest& request);

}  // namespace kw::session
