// Turns a position under the roofline into what limits the call and what to do about it, per
// target. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "record/device.h"
#include "record/plan.h"
#include "record/task.h"

namespace kw::profile {

/// At this share of its ceiling and above, a kernel can gain by a higher ceiling only. Our choice:
/// a copy reaches this share of the datasheet's rate, so a kernel that reaches it has little left
/// to gain.
inline constexpr double kNearRoof = 0.85;
/// A kernel below this share of its ceiling is limited by something else than the ceiling. Our
/// choice: such a kernel could be four times as fast.
inline constexpr double kFarFromRoof = 0.25;
/// Share of a ceiling above which the ceiling is measured again, because noise does not explain it.
/// Our choice: twice the spread of a ceiling on an idle machine.
inline constexpr double kAboveRoof = 1.05;

/// The time of one empty launch in a graph, as the referee reads it: 2.7 µs queued on
/// an H200 (docs/measurement.md, What is timed on a GPU).
inline constexpr double kEmptyLaunchNs = 2'700;

/// Steps of a plan that the device starts one by one; 1 without a plan.
int launches_of(const Plan* plan);

/// Sets the bound to Launch or Latency where the ceiling is not what limits. On a GPU the bound is
/// Launch also where empty launches alone would take half of the time.
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
