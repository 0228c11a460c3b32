// Computes traits from an attempt's source, rooflines and counters.
// SPDX-License-Identifier: Apache-2.0
#include "engine/traits.h"

#include <algorithm>

namespace kw::engine {
namespace {

constexpr double kMostRegisters = 255;  // limit of a thread on all of NVIDIA's GPUs since sm_35

void raise(std::map<std::string, double>& used, const char* resource, double share) {
  double& value = used[resource];
  value = std::clamp(std::max(value, share), 0.0, 1.0);
}

void add_roofline(search::Traits& traits, const Evaluation& evaluation) {
  double least = 2;
  for (const WorkloadResult& w : evaluation.workloads) {
    if (w.group != Group::Time || w.roofline.bound == Bound::Unknown) continue;
    if (w.roofline.fraction < least) least = w.roofline.fraction, traits.bound = w.roofline.bound;
    if (w.roofline.bound == Bound::Memory) raise(traits.used, "memory", w.roofline.fraction);
    if (w.roofline.bound == Bound::Compute) raise(traits.used, "compute", w.roofline.fraction);
  }
}

void add_counter(search::Traits& traits, const KernelProfile& kernel, const char* resource,
                 const char* counter, double whole) {
  if (const auto value = kernel.get(counter)) raise(traits.used, resource, *value / whole);
}

void add_counters(search::Traits& traits, const Evaluation& evaluation) {
  for (const WorkloadProfile& profile : evaluation.profiles)
    for (const KernelProfile& kernel : profile.kernels) {
      add_counter(traits, kernel, "memory", "dram__throughput.avg.pct_of_peak_sustained_elapsed",
                  100);
      add_counter(traits, kernel, "compute", "sm__throughput.avg.pct_of_peak_sustained_elapsed",
                  100);
      add_counter(traits, kernel, "occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active",
                  100);
      add_counter(traits, kernel, "shared", "l1tex__throughput.avg.pct_of_peak_sustained_active",
                  100);
      add_counter(traits, kernel, "registers", "launch__registers_per_thread", kMostRegisters);
    }
}

}  // namespace

search::Traits traits_of(const Attempt& attempt, bool is_written) {
  search::Traits traits;
  traits.is_repeated = attempt.recalled != 0;
  traits.object = attempt.evaluation.object_sha256;
  traits.source_bytes = static_cast<std::int64_t>(attempt.candidate.source.size());
  if (is_written) traits.sketch = search::sketch_of(attempt.candidate.source);
  add_roofline(traits, attempt.evaluation);
  add_counters(traits, attempt.evaluation);
  return traits;
}

}  // namespace kw::engine
