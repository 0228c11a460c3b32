// A run for other programs: trajectories, a Chrome trace, and its progress as numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/run_data.h"
#include "store/run_store.h"

namespace kw::report {

/// One line of JSON per attempt: state (what was known), action (ask and source), outcome class,
/// reward, verdict. docs/formats.md has the keys.
std::string trajectories_jsonl(const RunData& data);

/// The run as a Chrome trace (chrome://tracing, Perfetto): a slice per attempt with its stages
/// inside, the confirmations after them. The order of stages is that of a candidate's life; their
/// lengths were measured, their starts follow from them.
std::string chrome_trace(const RunData& data, const std::vector<store::Event>& events);

struct Progress {
  std::vector<double> best_so_far;  ///< Speedup over the baseline after each attempt; 1 at first.
  int failed = 0;
};
Progress progress_of(const std::vector<Attempt>& attempts);

}  // namespace kw::report
