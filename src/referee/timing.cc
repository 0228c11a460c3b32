// The order of a timing: workloads are prepared, pairs are timed, and what they show is checked.
// SPDX-License-Identifier: Apache-2.0
#include "referee/timing.h"

#include <utility>

#include "base/defence.h"
#include "measure/statistics.h"
#include "referee/fate.h"
#include "referee/gpu_times.h"
#include "referee/long_life.h"
#include "referee/plausible.h"

namespace kw::referee {
namespace {

// Enters the medians of the samples and the rates that follow from them.
void finish(TimedWorkload& at) {
  WorkloadResult& result = *at.result;
  if (result.samples.empty()) return;
  result.empty_call_ns = at.bench->slots.empty_ns.value_or(0);
  std::vector<double> own, other;
  for (const Sample& sample : result.samples) {
    own.push_back(sample.candidate_ns);
    if (sample.opponent_ns > 0) other.push_back(sample.opponent_ns);
  }
  result.median_ns = measure::median(own);
  if (!other.empty()) result.opponent_ns = measure::median(other);
  const WorkPerCall& work = at.bench->workload().work;
  const double per_second = 1e9 / result.median_ns;
  const auto bytes = static_cast<double>(work.read_bytes + work.write_bytes);
  result.items_per_s = static_cast<double>(work.items) * per_second;
  result.flops_per_s = static_cast<double>(work.flops) * per_second;
  result.bytes_per_s = bytes * per_second;
  result.arithmetic_intensity = bytes > 0 ? static_cast<double>(work.flops) / bytes : 0;
}

}  // namespace

Timing::Timing(device::Device& device, const DeviceFacts& facts, const Options& options,
               platform::Clock& clock, const EvaluationRequest& request, const Program& candidate,
               const Program* opponent, Seed seed, const Haste& haste)
    : site_{.device = device,
            .facts = facts,
            .options = options,
            .clock = clock,
            .request = request,
            .candidate = candidate,
            .opponent = opponent,
            .seed = seed,
            .haste = haste,
            .rng = Rng(seed.child("choices")),
            .account = Account(clock)},
      sets_(site_),
      opponent_(site_, sets_),
      lives_(site_, sets_, opponent_),
      candidate_(site_, sets_, opponent_, lives_),
      seats_(site_, sets_, opponent_, lives_, candidate_),
      pairs_(site_, sets_, opponent_, lives_, candidate_),
      wall_clock_(site_, candidate_) {}

Timing::~Timing() {
  for (const TimedWorkload& at : site_.workloads) {
    if (at.leg != nullptr) at.leg->end_forget();
    if (at.bench->slots.opponent) at.bench->slots.opponent->end_forget();
    for (const int set : at.fresh) at.bench->truths.drop(set);
  }
}

Ended Timing::add(Bench& bench, WorkloadResult& result, std::int64_t memory_bytes, Leg* leg,
                  bool is_last) {
  TimedWorkload& at = site_.workloads.emplace_back();
  at.bench = &bench;
  at.result = &result;
  at.memory_bytes = memory_bytes;
  at.leg = leg;
  at.is_last = is_last;
  result.seed = bench.seed().low;
  return opponent_.excuse(seats_.set_up(at));
}

Ended Timing::run() {
  auto ended = KW_TRY(opponent_.excuse(time_all()));
  if (ended) speedup_.is_faster = false;
  return ended;
}

Ended Timing::time_all() {
  const auto verdict =
      KW_TRY(site_.opponent != nullptr ? pairs_.run_pairs(speedup_) : pairs_.run_alone());
  for (TimedWorkload& at : site_.workloads) finish(at);
  if (verdict) return verdict;
  return confirm();
}

Ended Timing::confirm() {
  for (TimedWorkload& at : site_.workloads) KW_TRY(time_by_stream(site_, at));
  for (TimedWorkload& at : site_.workloads)
    if (at.bench->runs_plans() && speedup_.is_faster)
      if (auto differs = KW_TRY(wall_clock_.retime(at))) return differs;
  if (auto wrong = KW_TRY(live_long(site_, speedup_.is_faster))) return wrong;
  for (TimedWorkload& at : site_.workloads)
    if (auto impossible = KW_TRY(hold_to_physics(at))) return impossible;
  for (TimedWorkload& at : site_.workloads)
    if (auto wrong = KW_TRY(sustain(site_, at))) return at_measure(*wrong);
  return std::nullopt;
}

// Ceilings that were measured on a busy machine are too low, so a candidate is accused only after
// they were measured again.
Ended Timing::hold_to_physics(TimedWorkload& at) {
  const EvaluationRequest& request = site_.request;
  if (is_trusted(request.candidate.origin) || !is_on(Defence::PhysicsFloor)) return std::nullopt;
  const double trusted_ns = is_trusted(request.opponent.origin) ? at.result->opponent_ns : 0;
  const auto complaint = [&] {
    return find_implausible(at.bench->workload(), at.result->median_ns, site_.facts, trusted_ns);
  };
  auto seen = complaint();
  if (seen && site_.facts.gpu.empty() && site_.options.raise_ceilings) {
    KW_TRY(site_.options.raise_ceilings());
    seen = complaint();
  }
  if (!seen) return std::nullopt;
  at.result->outcome = Outcome::Implausible;
  return make_verdict(Stage::Measure, Outcome::Implausible, *std::move(seen));
}

}  // namespace kw::referee
