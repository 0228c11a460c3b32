// From a position under the roofline to what limits and what to do about it, per target. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "record/device.h"
#include "record/plan.h"
#include "record/task.h"

namespace kw::profile {

/// From here on, the ceiling itself is what is left to lower. Ours: a copy reaches this share of
/// the datasheet's rate, so that a kernel which does as well has little left to gain.
inline constexpr double kNearRoof = 0.85;
/// Below it, the ceiling is not what limits. Ours: what could be four times as fast is held up
/// elsewhere.
inline constexpr double kFarFromRoof = 0.25;
/// Ceilings and medians both carry noise. Ours: twice the spread of a ceiling on an idle machine.
inline constexpr double kAboveRoof = 1.05;

/// What one launch takes in a graph with nothing to do, as the referee reads it: 2.7 µs queued on
/// an H200 (docs/measurement.md, What is timed on a GPU).
inline constexpr double kEmptyLaunchNs = 2'700;

/// Steps of a plan that the device starts one by one; 1 without a plan.
int launches_of(const Plan* plan);

/// Turns the bound into Launch or Latency where the ceiling is not what limits. On a GPU Launch
/// also where empty launches alone would take half of the time.
void limit_on_cpu(RooflinePosition& position, double median_ns);
void limit_on_gpu(RooflinePosition& position, double median_ns, int launches);

std::string cpu_advice(const RooflinePosition& position, const Workload& workload, bool is_memory);

struct GpuCall {
  bool is_memory = true;
  bool is_matrix_unit = false;
  int launches = 1;
  double median_ns = 0;
  std::string matrix_units = {};  ///< The ceiling of RooflinePosition::matrix_fraction, in words.
};
std::string gpu_advice(const RooflinePosition& position, const Workload& workload,
                       const GpuCall& call);

}  // namespace kw::profile
