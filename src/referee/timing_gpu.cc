// What a GPU's timing has beyond a CPU's: calls that are too short, clocks that disagree, and host
// launchers that are timed by their functions as well as by the captured graphs.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <vector>

#include "base/text.h"
#include "measure/statistics.h"
#include "referee/sustained.h"
#include "referee/timing.h"

namespace kw::referee {
namespace {

// Below this, the time of a call on a GPU is mostly that of the launch.
constexpr double kShortestGpuNs = 10e3;
// Number of calls that are timed outside of a graph. Their time is shown beside the result, and
// nothing depends on it.
constexpr int kStreamCalls = 9;

}  // namespace

Timing::~Timing() {
  for (const Entry& entry : entries_) {
    if (entry.leg != nullptr) entry.leg->end_forget();
    if (entry.bench->opponent) entry.bench->opponent->end_forget();
    for (const int set : entry.fresh) entry.bench->drop(set);
  }
}

// Whether a trusted opponent's outputs are left without poison. They are poisoned on cpu, where
// poisoning costs little compared with the flush and both legs are treated alike.
bool Timing::is_poison_spared(const Entry& entry) const {
  return entry.bench->runs_plans() && is_trusted(request_.opponent.origin);
}

// Calls on a GPU are not batched: launches overlap in a batch, and each call must have its own
// stamps.
std::optional<Verdict> Timing::too_short(Entry& entry, double shortest_ns) const {
  if (shortest_ns >= kShortestGpuNs) return std::nullopt;
  entry.result->outcome = Outcome::Unmeasurable;
  return Verdict{
      Stage::Measure, Outcome::Unmeasurable,
      fmt::format("workload '{}': a call takes {}; below {} its time is mostly that of "
                  "the launch",
                  entry.bench->workload().name, format_ns(shortest_ns), format_ns(kShortestGpuNs))};
}

// If the clocks disagree about the opponent's calls too, the machine is the cause, so this never
// accuses the candidate. Only an opponent that is a candidate itself may have caused the
// disagreement.
Result<std::optional<Verdict>> Timing::clocks_part(const Entry& entry) {
  const std::string where = fmt::format("workload '{}'", entry.bench->workload().name);
  if (!entry.bench->runs_plans()) {
    const Lateness& own = entry.candidate->lateness();
    auto late = judge_lateness(own, entry.opponent ? &entry.opponent->lateness() : nullptr, where);
    if (late && !own.is_often() && !is_trusted(request_.opponent.origin))
      return opponent_fails(late->evidence);
    return late;
  }
  if (auto verdict = entry.candidate->stamps().verdict(where)) return verdict;
  if (!entry.opponent) return std::nullopt;
  auto verdict = entry.opponent->stamps().verdict(where + ", the opponent");
  if (!verdict) return std::nullopt;
  if (!is_trusted(request_.opponent.origin)) return opponent_fails(verdict->evidence);
  verdict->outcome = Outcome::Unmeasurable;
  return verdict;
}

Result<HostLaunch> Timing::time_by_stream(const Entry& entry, const char* role, Seat& seat) {
  HostLaunch launch{.role = role,
                    .why_not_captured = seat.leg().why_not_captured(entry.bench->workload())};
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

Result<> Timing::time_by_stream(Entry& entry) {
  if (request_.measure.purpose == Purpose::Search) return {};
  for (const auto& [role, seat] :
       {std::pair("candidate", entry.candidate.get()), std::pair("opponent", entry.opponent.get())})
    if (seat != nullptr && seat->leg().is_alive() && seat->leg().runs_host_code())
      entry.result->host_launches.push_back(KW_TRY(time_by_stream(entry, role, *seat)));
  return {};
}

Result<std::optional<Verdict>> Timing::sustain(Entry& entry) {
  Bench& bench = *entry.bench;
  const bool is_certificate_of_products =
      request_.measure.purpose == Purpose::Confirm && bench.task().gate.kind == GateKind::Dot;
  if (!bench.runs_plans() || (!request_.measure.sustained && !is_certificate_of_products))
    return std::nullopt;
  const auto lap = account_.lap("sustained");
  const int slots = bench.slots();
  std::optional<Verdict> verdict;
  for (const Program* program : {&candidate_, opponent_}) {
    if (program == nullptr || verdict) continue;
    const double call_ns =
        program == &candidate_ ? entry.result->median_ns : entry.result->opponent_ns;
    auto timed = time_sustained(bench, request_.jail, *program, call_ns, timeout_of(bench),
                                seed_.child("sustained").child(program->role));
    if (!timed) bench.keep_slots(slots);
    auto run = KW_TRY(std::move(timed));
    if (run.verdict && program != &candidate_)
      run.figure.why_not = run.verdict->evidence;  // a failing opponent accuses nobody
    else
      verdict = std::move(run.verdict);
    entry.result->sustained.push_back(std::move(run.figure));
  }
  bench.keep_slots(slots);
  return verdict;
}

}  // namespace kw::referee
