// The input of reports: one run and its results.
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
  double mean_ns = 0;  ///< Geometric mean over the timed workloads; 0: the baseline is not usable.
  std::string note;    ///< Why the baseline is not usable.
  std::string source = {};  ///< The source with fixed knobs, so that it compiles alone.
  TrustClass trust_class = TrustClass::CpuFunction;
};

/// A run without its attempts, which reports read from the store one at a time.
struct RunData {
  RunSummary run;
  std::vector<BaselineLine> baselines;  ///< Fastest first; empty where reports did not time them.
  std::string baseline;                 ///< Name of the opponent of the confirmation.
  std::optional<Attempt> best;          ///< The best attempt; nothing: no attempt was correct.
  std::optional<Evaluation> confirmation;  ///< The confirmation of `best`.
  std::optional<Terms>
      terms;                ///< Tolerances and inputs of the confirmation; older runs stored none.
  std::string code;         ///< The file that the task was drafted from, if one was.
  std::string best_source;  ///< Source of `best` with its knobs pinned, so that it compiles alone.
  std::string baseline_source;     ///< Source of `baseline`, knobs pinned; empty: not at hand.
  std::string no_baseline_source;  ///< Why `baseline_source` is empty, as part of a sentence.
  DeviceFacts device;
  std::vector<std::string> orders;  ///< Orders that a person gave during the run, one line each.

  /// True if `best` was confirmed to be faster than `baseline`.
  bool is_win() const {
    return confirmation && confirmation->verdict.is_correct() && confirmation->speedup.is_faster;
  }
  /// True for a win on a device. A win on a landscape, whose times are computed or recorded, proves
  /// nothing about a kernel.
  bool has_certificate() const { return is_win() && run.config.carrier != "synthetic"; }
};

}  // namespace kw::report
