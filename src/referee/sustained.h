// A kernel back to back: many calls in one graph, on rotating buffers, without a flush between
// them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/rng.h"
#include "record/evaluation.h"
#include "referee/bench.h"

namespace kw::referee {

/// Least time of back-to-back calls that a figure rests on: clocks droop within it.
inline constexpr double kSustainedNs = 1e9;

/// The plan `turns` times over, turn i on the buffers of slot `order[i]`: tensor t of slot s is
/// operand s * tensors + t. Workspaces are shared, and those that begin as zeros are filled with
/// them at every turn. Precondition: why_not_sustained() is empty.
Plan repeated(const Plan& plan, const std::vector<int>& order, int tensors, int slots);

/// Why this program cannot be run so, in words: it reads what it writes, or has branches; empty
/// where it can.
std::string why_not_sustained(const Workload& workload, const Program& program);

struct SustainedRun {
  std::optional<Verdict> verdict;  ///< Of the calls, or of their outputs; the figure is then void.
  Sustained figure;
};

/// At least kSustainedNs of calls by a process of its own, each slot with a prepared input set
/// drawn by the seed; then all outputs are checked in full. `call_ns` is about what one call takes.
/// Needs eight slots, fewer where memory is short, and leaves the bench with them: its players'
/// maps are of no use afterwards. Seconds; the caller holds the device alone.
Result<SustainedRun> time_sustained(Bench& bench, JailLevel jail, const Program& program,
                                    double call_ns, std::int64_t timeout_ns, Seed seed);

}  // namespace kw::referee
