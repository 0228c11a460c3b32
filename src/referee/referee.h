// The referee: runs one candidate on one device and says what became of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
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

/// Longest that one reference may compute a timed workload; others: kSmallTimeoutNs.
inline constexpr std::int64_t kReferenceTimeoutNs = 300'000'000'000;

/// Limits of the referee's own making; the defaults are those of docs/measurement.md.
struct Options {
  std::int64_t reference_timeout_ns = kReferenceTimeoutNs;
  Patience patience = {};                         ///< With references, which may take that long.
  std::int64_t least_timeout_ns = 2'000'000'000;  ///< A candidate's call never gets less.
  double timeout_factor = 100;        ///< Of the reference's own time at the task's type.
  std::int64_t memory_bytes = 0;      ///< For pools, truths and buffers; 0: half of what is free.
  std::int64_t watch_ns = 3'000'000;  ///< Least span in which late work is looked for.
  /// More CPU time than this after return is cheating; every core adds what a thread of an honest
  /// pool takes to fall asleep (0.1 ms seen where sixteen wait on a futex of a virtual machine).
  double late_cpu_ns = 1e6;
  double late_cpu_per_core_ns = 0.125e6;
  std::int64_t checked_elements = 1 << 18;  ///< Looked at by a reduced check.
  double short_sample_ns = 1e6;             ///< Shorter calls are batched.
  int most_calls_per_sample = 64;           ///< Beyond that a workload is unmeasurable.
  int pool_sets = 0;                        ///< Timed input sets; 0: 2 to 8, by what a truth costs.
  std::int64_t recovery_pause_ns = 250'000'000;  ///< Between probes of a GPU that faulted.
  double measure_wall_ns = 120e9;                ///< Ends the pairs, overhead included.
  /// Called once between the check and the first timed call: there the caller's lease of the
  /// device, shared so far, becomes exclusive.
  std::function<Result<>()> before_measuring = {};
  /// Called before a time is called impossible on a CPU: measures the ceilings again and tells
  /// them to set_ceilings().
  std::function<Result<>()> raise_ceilings = {};
  /// Asked between steps: whether the evaluation is to end after the one in progress, as
  /// (measure, unmeasurable).
  std::function<bool()> is_hurried = {};
};

/// Judges load → launch → run → check → measure. Keeps, for evaluations of the same task and seed,
/// the input pools with their truths, the trusted baseline's errors, warm opponents and the noise
/// floor; Purpose::Confirm shares nothing. Not thread-safe; the caller holds the device's lease and
/// both devices outlive the referee.
class Referee {
 public:
  /// `host`: where references of target cpu run for a device that runs none (cuda); null: on the
  /// device itself.
  Referee(device::Device& device, device::Device* host, Options options = {},
          platform::Clock& clock = platform::real_clock());
  ~Referee();
  Referee(const Referee&) = delete;
  Referee& operator=(const Referee&) = delete;

  /// `units` of the request are built. A candidate's fate is in the evaluation; errors are trouble
  /// of the machine, of the task (its reference crashed) or of the opponent. Costs what the stages
  /// cost: see Evaluation::stage_ns. Deterministic given the request, up to times.
  Result<Evaluation> judge(const EvaluationRequest& request);

  /// Ceilings as last measured, for the physics floor; without any, nothing is implausible.
  void set_ceilings(std::vector<Ceiling> ceilings) { facts_.ceilings = std::move(ceilings); }

 private:
  struct Run;
  Result<Run*> run_for(const EvaluationRequest& request);
  Result<> prepare_small(Run& run, const std::vector<Bench*>& small,
                         const std::vector<Bench*>& timed);
  bool is_tight(const std::vector<Bench*>& timed) const;
  std::string why_no_room(const Bench& bench) const;
  Result<> await_recovery();

  device::Device& device_;
  device::Device* host_;
  DeviceFacts facts_;
  Options options_;
  platform::Clock& clock_;          ///< For budgets and stage_ns; samples are the device's.
  std::unique_ptr<Run> run_;        ///< Of the latest task and seed.
  std::unique_ptr<Run> fresh_run_;  ///< Of a confirmation, while it lasts.
};

}  // namespace kw::referee
