// What reports are made of: one run with what it came to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/attempt.h"
#include "record/device.h"
#include "record/terms.h"

namespace kw::report {

struct BaselineLine {
  std::string name;
  double mean_ns = 0;       ///< Geometric mean over the timed workloads; 0: not usable.
  std::string note;         ///< Why not usable.
  std::string source = {};  ///< Knobs pinned; compiles alone.
  TrustClass trust_class = TrustClass::CpuFunction;
};

/// The attempts stay in the store; reports read them one at a time.
struct RunData {
  RunSummary run;
  std::vector<BaselineLine> baselines;     ///< Fastest first.
  std::string baseline;                    ///< The opponent of the confirmation.
  std::optional<Attempt> best;             ///< None: nothing was correct.
  std::optional<Evaluation> confirmation;  ///< Of `best`.
  std::optional<Terms> terms;              ///< Of it; runs of older builds kept none.
  std::string code;                        ///< The file that the task was drafted from, if one was.
  std::string best_source;                 ///< Knobs pinned; compiles alone.
  DeviceFacts device;
  std::vector<std::string> orders;  ///< What a person asked of it while it went, a line each.

  /// True where `best` was confirmed faster than `baseline`.
  bool is_win() const {
    return confirmation && confirmation->verdict.is_correct() && confirmation->speedup.is_faster;
  }
  /// A landscape is no device: nothing is proved on it.
  bool has_certificate() const { return is_win() && run.config.carrier != "synthetic"; }
};

}  // namespace kw::report
