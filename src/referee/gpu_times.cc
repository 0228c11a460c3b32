// Times host launchers by their functions, and programs back to back.
// SPDX-License-Identifier: Apache-2.0
#include "referee/gpu_times.h"

#include <utility>
#include <vector>

#include "measure/statistics.h"
#include "referee/check.h"
#include "referee/sustained.h"

namespace kw::referee {
namespace {

// Below this, the time of a call on a GPU is mostly that of the launch.
constexpr double kShortestGpuNs = 10e3;
// Number of calls that are timed outside of a graph. Their time is shown beside the result, and
// nothing depends on it.
constexpr int kStreamCalls = 9;

Result<HostLaunch> time_by_stream(const TimedWorkload& at, const char* role, Seat& seat) {
  HostLaunch launch{.role = role,
                    .why_not_captured = seat.leg().why_not_captured(at.bench->workload())};
  launch.is_captured = launch.why_not_captured.empty();
  std::vector<double> seen;
  for (int i = 0; launch.is_captured && i < kStreamCalls; ++i) {
    const TimedCall timed = KW_TRY(seat.time_by_stream());
    if (timed.verdict) break;  // there is no eager time then, and nothing depends on it
    if (!timed.is_void && timed.ns > 0) seen.push_back(timed.ns);
  }
  if (!seen.empty()) launch.eager_ns = measure::median(seen);
  return launch;
}

}  // namespace

std::optional<Verdict> too_short(TimedWorkload& at, double shortest_ns) {
  if (shortest_ns >= kShortestGpuNs) return std::nullopt;
  at.result->outcome = Outcome::Unmeasurable;
  return make_verdict(Stage::Measure, Outcome::Unmeasurable,
                      {.kind = EvidenceKind::CallTooShort,
                       .workload = at.bench->workload().name,
                       .numbers = {shortest_ns, kShortestGpuNs}});
}

Result<> time_by_stream(const TimingSite& site, TimedWorkload& at) {
  if (site.request.measure.purpose == Purpose::Search) return {};
  for (const auto& [role, seat] :
       {std::pair("candidate", at.candidate.get()), std::pair("opponent", at.opponent.get())})
    if (seat != nullptr && seat->leg().is_alive() && seat->leg().runs_host_code())
      at.result->host_launches.push_back(KW_TRY(time_by_stream(at, role, *seat)));
  return {};
}

Ended sustain(TimingSite& site, TimedWorkload& at) {
  Bench& bench = *at.bench;
  const bool is_certificate_of_products =
      site.request.measure.purpose == Purpose::Confirm && bench.task().gate.kind == GateKind::Dot;
  if (!bench.runs_plans() || (!site.request.measure.sustained && !is_certificate_of_products))
    return std::nullopt;
  const auto lap = site.account.lap("sustained");
  const int slots = bench.slots.count();
  std::optional<Verdict> verdict;
  for (const Program* program : {&site.candidate, site.opponent}) {
    if (program == nullptr || verdict) continue;
    const double call_ns =
        program == &site.candidate ? at.result->median_ns : at.result->opponent_ns;
    auto timed = time_sustained(bench, site.request.jail, *program, call_ns,
                                call_timeout(site.options, bench),
                                site.seed.child("sustained").child(program->role));
    if (!timed) bench.slots.keep(slots);
    auto run = KW_TRY(std::move(timed));
    if (run.verdict && program != &site.candidate)
      run.figure.why_not = run.verdict->evidence;  // a failing opponent accuses nobody
    else
      verdict = std::move(run.verdict);
    at.result->sustained.push_back(std::move(run.figure));
  }
  bench.slots.keep(slots);
  return verdict;
}

}  // namespace kw::referee
