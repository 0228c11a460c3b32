// What reports are made of: one run with everything that became of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/attempt.h"
#include "record/device.h"

namespace kw::report {

struct BaselineLine {
  std::string name;
  double mean_ns = 0;  ///< Geometric mean over the timed workloads; 0: not usable.
  std::string note;    ///< Why not usable.
};

struct RunData {
  RunSummary run;
  std::vector<Attempt> attempts;
  std::vector<BaselineLine> baselines;     ///< Fastest first.
  std::string baseline;                    ///< The opponent of the confirmation.
  int best = 0;                            ///< Attempt number; 0: nothing was correct.
  std::optional<Evaluation> confirmation;  ///< Of `best`.
  std::string best_source;                 ///< Knobs pinned; compiles alone.
  DeviceFacts device;
  std::vector<std::string> decisions;

  /// True where `best` was confirmed faster than `baseline`.
  bool is_win() const {
    return confirmation && confirmation->verdict.is_correct() && confirmation->speedup.is_faster;
  }
  /// A landscape is no device: nothing is proved on it.
  bool has_certificate() const { return is_win() && run.config.carrier != "synthetic"; }
  const Attempt* best_attempt() const {
    return best >= 1 && static_cast<std::size_t>(best) <= attempts.size()
               ? &attempts[static_cast<std::size_t>(best) - 1]
               : nullptr;
  }
};

}  // namespace kw::report
