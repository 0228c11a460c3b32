// What is known of one input set: its truth, the figures that gates use, and the trusted baseline's
// errors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "referee/bench_site.h"
#include "referee/gate.h"
#include "referee/truth.h"

namespace kw::referee {

/// The truth of one input set, and the trusted baseline's accuracy on it. The truth never enters
/// memory that a candidate maps.
struct Known {
  TruthMaker::Truth truth;
  std::vector<std::vector<RegionTruth>> regions;  ///< By tensor, then by compared region.
  Accuracy baseline;  ///< Accuracy of the trusted baseline against the truth.
  /// A message that says why the trusted baseline fails the task's gates; nothing if it passes.
  std::optional<std::string> baseline_failure;
};

/// RMS error of the trusted baseline ÷ (RMS of the truth × √(dot length)), per tensor and region;
/// negative where the second gate does not apply.
using RelativeErrors = std::vector<std::vector<double>>;

/// Relative RMS errors of the trusted baseline on an input set of this workload.
RelativeErrors relative_errors(const Workload& workload, const Known& known);

/// Computes the figures of one tensor's truth, by compared region. `finite` has the tensor's size
/// and holds finite values only. An error if the truth itself is not finite.
Result<std::vector<RegionTruth>> region_truths(const BenchSite& site, std::size_t tensor,
                                               const TruthMaker::Truth& truth,
                                               device::Buffer& finite);

/// Says what differs between two truths by more than float64 rounding; nothing if they are equal.
Result<std::optional<std::string>> find_difference(const BenchSite& site,
                                                   const TruthMaker::Truth& other,
                                                   const Known& known);

}  // namespace kw::referee
