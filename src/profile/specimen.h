// A specimen: one plan of a candidate in a process of its own, for profilers and sanitizers to look
// at. Declares its job, its report, and the function that runs it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/candidate.h"
#include "record/plan.h"
#include "record/task.h"

namespace kw::profile {

struct SpecimenJob {
  std::string uuid;         ///< UUID of the GPU, 32 hexadecimal digits.
  std::string driver;       ///< The library of the driver.
  std::string ops_path;     ///< Cubin of the device's own operations.
  std::string player_path;  ///< Cubin of the kernels behind a plan's fills and copies.
  BuiltObject object;
  Workload workload;
  kw::Plan plan;
  std::uint64_t seed = 0;   ///< Inputs are drawn from this seed, and nothing else is.
  std::vector<int> marked;  ///< Steps that a profiler is to count.
  int runs = 1;
  bool flushes = false;              ///< Whether caches are cold before each run.
  std::vector<BuiltObject> control;  ///< At most one: sanitizer_control(), run last.
  std::string defect;                ///< The kernel of the control that is run.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("uuid", s.uuid), v("driver", s.driver), v("ops_path", s.ops_path),
        v("player_path", s.player_path), v("object", s.object), v("workload", s.workload),
        v("plan", s.plan), v("seed", s.seed), v("marked", s.marked), v("runs", s.runs),
        v("flushes", s.flushes), v("control", s.control), v("defect", s.defect);
  }
};

struct SpecimenReport {
  std::string failure;          ///< Empty: every run ended well.
  std::vector<double> step_ns;  ///< Median over the runs, by step of the plan.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("failure", s.failure), v("step_ns", s.step_ns);
  }
};

/// Runs the job in this process, which foreign device code then shares: to be called in kw-specimen
/// only. Tensors and workspaces are plain allocations of their exact size, because a sanitizer
/// knows memory by allocation: within the granules of the referee's guarded buffers a write past
/// the payload would lie in bounds, and what another process wrote there would count as never
/// written. What a call finds as poison otherwise is not written at all, so that reading it shows.
/// An error says why nothing ran.
Result<SpecimenReport> run_specimen(const SpecimenJob& job);

/// The report as one line, which find_report() finds among the output of a tool.
std::string report_line(const SpecimenReport& report);
std::optional<SpecimenReport> find_report(std::string_view output);

}  // namespace kw::profile
