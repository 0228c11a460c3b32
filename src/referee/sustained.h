// Times a kernel back to back: many calls in one graph, on rotating buffers, without a flush
// between them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/rng.h"
#include "record/evaluation.h"
#include "referee/bench.h"

namespace kw::referee {

/// Least time of back-to-back calls that a figure rests on, because clocks droop within this time.
inline constexpr double kSustainedNs = 1e9;

/// A plan that runs `plan` once for each entry of `order`, turn i on the buffers of slot
/// `order[i]`: tensor t of slot s is operand s * tensors + t. Workspaces are shared, and those that
/// begin as zeros are filled with zeros at every turn. Precondition: why_not_sustained() is empty.
Plan repeated(const Plan& plan, const std::vector<int>& order, int tensors, int slots);

/// Says why this program cannot run back to back: it reads what it writes, or has branches. Empty
/// where it can.
std::string why_not_sustained(const Workload& workload, const Program& program);

struct SustainedRun {
  /// The verdict on the calls or on their outputs; the figure is then void.
  std::optional<Verdict> verdict;
  Sustained figure;
};

/// Times at least kSustainedNs of calls in a process of its own, each slot with a prepared input
/// set drawn by the seed; then checks all outputs in full. `call_ns` is roughly what one call
/// takes. Needs eight slots, fewer where memory is short, and leaves the bench with them: the
/// memory maps of its players are invalid afterwards. Takes seconds; the caller holds the device
/// exclusively.
Result<SustainedRun> time_sustained(Bench& bench, JailLevel jail, const Program& program,
                                    double call_ns, std::int64_t timeout_ns, Seed seed);

}  // namespace kw::referee
