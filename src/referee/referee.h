// The referee: runs one candidate on one device and gives the verdict on it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "platform/clock.h"
#include "record/evaluation.h"
#include "referee/patience.h"

namespace kw::referee {

class Bench;
class Trial;

/// Time limit of a reference on a timed workload; on other workloads the limit is kSmallTimeoutNs.
inline constexpr std::int64_t kReferenceTimeoutNs = 300'000'000'000;

/// Limits that the referee sets itself; docs/measurement.md gives the defaults.
struct Options {
  std::int64_t reference_timeout_ns = kReferenceTimeoutNs;
  Patience patience = {};  ///< Tells about long waits for references.
  /// Least time limit of a candidate's call.
  std::int64_t least_timeout_ns = 2'000'000'000;
  /// Time limit of a call ÷ the time of the reference at the task's type.
  double timeout_factor = 100;
  std::int64_t memory_bytes = 0;  ///< Limit for pools, truths and buffers; 0: half of what is free.
  std::int64_t watch_ns = 3'000'000;  ///< Least span in which late work is looked for.
  /// CPU time after a call's return that is still honest, plus a share for every core: what a
  /// thread of an honest pool takes to fall asleep (0.1 ms seen where sixteen threads wait on a
  /// futex of a virtual machine). More than both together is late work.
  double late_cpu_ns = 1e6;
  double late_cpu_per_core_ns = 0.125e6;
  /// Least number of elements that a reduced check compares.
  std::int64_t checked_elements = 1 << 18;
  double short_sample_ns = 1e6;  ///< Calls shorter than this are batched.
  /// Most calls in a sample; a workload that would need more calls per sample is unmeasurable.
  int most_calls_per_sample = 64;
  int pool_sets = 0;  ///< Number of timed input sets; 0: 2 to 8, depending on what a truth costs.
  std::int64_t recovery_pause_ns = 250'000'000;  ///< Pause between probes of a GPU that faulted.
  /// Wall time, overhead included, after which no further pair of samples is taken.
  double measure_wall_ns = 120e9;
  /// Called once between the check and the first timed call, for the caller to make its lease of
  /// the device exclusive, which was shared until then.
  std::function<Result<>()> before_measuring = {};
  /// Called before a time is called impossible on a CPU: measures the ceilings again and passes
  /// them to set_ceilings().
  std::function<Result<>()> raise_ceilings = {};
  /// Asked between steps; true: the evaluation ends after the step in progress, as (measure,
  /// unmeasurable).
  std::function<bool()> is_hurried = {};
};

/// Judges load → launch → run → check → measure. For evaluations of the same task and seed the
/// referee keeps the input pools with their truths, the trusted baseline's errors, warm opponents
/// and the noise floor; an evaluation with Purpose::Confirm shares none of them. Not thread-safe;
/// the caller holds the device's lease, and both devices outlive the referee.
class Referee {
 public:
  /// `host`: the device on which references of target cpu run if `device` runs none (cuda); null:
  /// references run on `device`.
  Referee(device::Device& device, device::Device* host, Options options = {},
          platform::Clock& clock = platform::real_clock());
  ~Referee();
  Referee(const Referee&) = delete;
  Referee& operator=(const Referee&) = delete;

  /// Judges the request's candidate; `units` of the request are built. A candidate's fate is in the
  /// evaluation; errors are trouble of the machine, of the task (its reference crashed) or of the
  /// opponent. Costs what the stages cost: see Evaluation::stage_ns. Deterministic given the
  /// request, except for times.
  Result<Evaluation> judge(const EvaluationRequest& request);

  /// Ceilings as last measured, for the physics floor; without ceilings nothing is implausible.
  void set_ceilings(std::vector<Ceiling> ceilings) { facts_.ceilings = std::move(ceilings); }

 private:
  struct Run;
  struct Shapes;
  Result<Run*> run_for(const EvaluationRequest& request);
  Result<> prepare_small(Run& run, const Shapes& shapes);
  bool is_tight(const std::vector<Bench*>& timed) const;
  std::string why_no_room(const Bench& bench) const;
  static Shapes shapes_of(const Run& run, const EvaluationRequest& request);
  void make_room(const EvaluationRequest& request, Shapes& shapes, Evaluation& evaluation);
  static bool is_short(const EvaluationRequest& request, const Shapes& shapes,
                       const Evaluation& evaluation);
  Result<std::optional<Verdict>> check(Trial& trial, const EvaluationRequest& request,
                                       const Shapes& shapes) const;
  Result<> tidy_up(Run& run, bool went_wrong);
  Result<> await_recovery();

  device::Device& device_;
  device::Device* host_;
  DeviceFacts facts_;
  Options options_;
  platform::Clock& clock_;    ///< Clock for budgets and stage_ns; samples use the device's clock.
  std::unique_ptr<Run> run_;  ///< State of the latest task and seed.
  std::unique_ptr<Run> fresh_run_;  ///< State of a confirmation, while it lasts.
};

}  // namespace kw::referee
