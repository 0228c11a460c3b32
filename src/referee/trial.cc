// Loads a candidate, checks its calls at small and timed shapes, and has it timed.
// SPDX-License-Identifier: Apache-2.0
#include "referee/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/defence.h"
#include "referee/borrowed.h"
#include "referee/check.h"
#include "referee/fate.h"
#include "referee/many_calls.h"
#include "referee/timing.h"

namespace kw::referee {

std::int64_t Trial::timeout_of(const Bench& bench) const { return call_timeout(options_, bench); }

WorkloadResult& Trial::result_of(const Bench& bench) {
  for (WorkloadResult& result : to_.workloads)
    if (result.name == bench.workload().name) return result;
  WorkloadResult& result = to_.workloads.emplace_back();
  result.name = bench.workload().name;
  result.group = bench.workload().group;
  result.seed = bench.seed().low;
  return result;
}

// Watches a process after its call returned, and repeats the call while late work is suspected.
Trial::Fate Trial::watch(Bench& bench, Leg& leg) {
  const Watch watch = watch_for(request_, options_, facts_);
  for (Suspicion suspicion;;) {
    const AfterCheck after =
        KW_TRY(check_after_return(bench, 0, leg.player(), watch, Stage::Check));
    if (after.verdict) return after.verdict;
    suspicion.tell(after.late.has_value());
    if (suspicion.is_proven()) return make_verdict(Stage::Check, Outcome::Cheated, *after.late);
    if (!suspicion.is_open()) return std::nullopt;
    KW_TRY(bench.slots.place_again(0));
    if (auto verdict = verdict_of(KW_TRY(call(bench, leg)), bench.workload().name)) return verdict;
  }
}

Result<device::CallResult> Trial::call(const Bench& bench, Leg& leg) const {
  KW_TRY(leg.make_ready(bench.workload()));
  return leg.call(bench.workload(), timeout_of(bench));
}

// Makes one checked call. Device code is not watched after it returned, because a call returns when
// the device has nothing left to do.
Trial::Fate Trial::run_one(Bench& bench, Leg& leg, int set, bool is_watched) {
  KW_TRY(bench.slots.place(0, set));
  WorkloadResult& result = result_of(bench);
  const auto ended = KW_TRY(call(bench, leg));
  auto verdict = verdict_of(ended, bench.workload().name);
  if (verdict && may_be_input_write(ended))
    verdict =
        KW_TRY(refine_crash(bench, program_, request_.jail, set, timeout_of(bench), *verdict));
  if (!verdict && is_watched && may_linger(request_.candidate)) verdict = KW_TRY(watch(bench, leg));
  if (!verdict) {
    Checked checked = KW_TRY(check_call(bench, leg, 0, set, {}, Stage::Check));
    verdict = checked.verdict;
    result.accuracy = checked.accuracy;
    std::move(checked.findings.begin(), checked.findings.end(), std::back_inserter(to_.findings));
  }
  if (verdict) result.outcome = verdict->outcome;
  return verdict;
}

// Checks all small workloads in one process, because a start costs more than their calls. On a GPU,
// where a start takes 0.1 s, one timed workload shares the process and in the end has it alone.
Trial::Fate Trial::load_and_check(const std::vector<Bench*>& small, Bench* timed) {
  device::PlayerSpec spec{.name = "candidate",
                          .jail = request_.jail,
                          .memory_bytes = request_.task.restrictions.workspace_bytes,
                          .buffers = {},
                          .writable = {}};
  std::vector<Stand> stands;
  std::vector<Bench*> here = small;
  if (timed != nullptr) here.push_back(timed);
  for (Bench* bench : here) {
    KW_TRY(bench->slots.ensure(1));
    KW_TRY(bench->slots.renew_memory());
    stands.push_back({&bench->workload(), static_cast<int>(spec.buffers.size())});
    const auto part = bench->slots.player_spec("candidate", request_.jail, true);
    spec.buffers.insert(spec.buffers.end(), part.buffers.begin(), part.buffers.end());
    spec.writable.insert(spec.writable.end(), part.writable.begin(), part.writable.end());
  }
  const std::int64_t started = clock_.now_ns();
  auto own = std::make_unique<Leg>(device_, request_.task, spec, program_, stands,
                                   seed_.child("workspaces"));
  Leg& leg = *own;
  if (timed != nullptr) kept_[timed] = std::move(own);
  auto verdict = KW_TRY(leg.renew());
  if (leg.has_player()) {
    to_.jail = leg.player().jail();
    to_.jail_uid = leg.player().uid();
  }
  to_.stage_ns["load"] = static_cast<double>(clock_.now_ns() - started);
  if (verdict || request_.until < Stage::Run) return verdict;
  // Late work is looked for after the first call and after another one, drawn at random.
  const std::size_t surprise = small.empty() ? 0 : rng_.below(small.size());
  const std::size_t most = is_on(Defence::EveryCallChecked) ? small.size() : 3;
  for (std::size_t i = 0; i < std::min(most, small.size()); ++i) {
    if (haste_.is_hurried()) return interrupted({.kind = EvidenceKind::InterruptedCheck});
    verdict = KW_TRY(run_one(*small[i], leg, kWarmSet + 1, i == 0 || i == surprise));
    if (verdict) return verdict;
  }
  verdict = KW_TRY(call_many_times(small, leg, options_, clock_, haste_, rng_));
  if (verdict) return verdict;
  // The process loses the small workloads' outputs, in which it could keep results.
  if (timed != nullptr) return verdict_of(leg.keep_only(timed->workload()), timed->workload().name);
  return std::nullopt;
}

// Checks a timed shape on the warm-up inputs, because inputs of timed calls must not be shown to a
// process that is not timed. Makes one full check and a second run on equal inputs, in a new
// process unless load_and_check() left one.
Trial::Fate Trial::check_timed(Bench& bench) {
  if (!is_on(Defence::TimedShapesChecked)) return std::nullopt;
  if (haste_.is_hurried()) return interrupted({.kind = EvidenceKind::InterruptedCheck});
  const std::int64_t started = clock_.now_ns();
  KW_TRY(bench.truths.prepare(kWarmSet));
  truth_ns_ += static_cast<double>(clock_.now_ns() - started);
  KW_TRY(bench.slots.ensure(1));
  std::unique_ptr<Leg> own = std::move(kept_[&bench]);
  if (!own) {
    KW_TRY(bench.slots.renew_memory());
    own = bench.slots.make_leg("candidate", request_.jail, true, program_);
    if (auto refused = KW_TRY(own->renew())) return refused;
  }
  Leg& leg = *own;
  if (bench.runs_plans()) kept_[&bench] = std::move(own);
  if (auto verdict = KW_TRY(run_one(bench, leg, kWarmSet, true))) return verdict;
  const Repeatability repeat = KW_TRY(check_repeat(bench, leg, timeout_of(bench)));
  WorkloadResult& result = result_of(bench);
  if (bench.is_fast()) result.note = "right results by the fast reference";
  if (repeat.verdict) {
    result.outcome = repeat.verdict->outcome;
    return repeat.verdict;
  }
  if (repeat.is_equal) return std::nullopt;
  result.is_nondeterministic = true;
  result.note = fmt::format("two runs on equal inputs differ by up to {:.3g}", repeat.spread);
  if (request_.task.restrictions.deterministic) {
    result.outcome = Outcome::WrongResult;
    return make_verdict(Stage::Check, Outcome::WrongResult,
                        {.kind = EvidenceKind::RunsDiffer,
                         .workload = bench.workload().name,
                         .numbers = {repeat.spread}});
  }
  Checked again = KW_TRY(check_call(bench, leg, 0, kWarmSet, {}, Stage::Check));
  std::move(again.findings.begin(), again.findings.end(), std::back_inserter(to_.findings));
  if (again.verdict) result.outcome = again.verdict->outcome;
  return again.verdict;
}

Trial::Fate Trial::check_borrowed(Bench& bench) {
  if (haste_.is_hurried()) return interrupted({.kind = EvidenceKind::InterruptedCheck});
  const std::int64_t started = clock_.now_ns();
  auto verdict =
      KW_TRY(check_on_borrowed(bench, {request_, program_, options_}, rng_, to_.findings));
  truth_ns_ += static_cast<double>(clock_.now_ns() - started);
  if (verdict) result_of(bench).outcome = verdict->outcome;
  return verdict;
}

Trial::Fate Trial::measure(const std::vector<Bench*>& timed, const Program* opponent,
                           std::int64_t memory_bytes) {
  Timing timing(device_, facts_, options_, clock_, request_, program_, opponent,
                seed_.child("timing").child(request_.id), haste_);
  std::optional<Verdict> verdict;
  Bench* at = nullptr;
  for (Bench* bench : timed) {
    at = bench;
    if (haste_.is_hurried()) return interrupted({.kind = EvidenceKind::InterruptedTiming});
    verdict = KW_TRY(timing.add(*bench, result_of(*bench),
                                memory_bytes / static_cast<std::int64_t>(timed.size()),
                                kept_[bench].get(), bench == timed.back()));
    if (verdict) break;
  }
  if (!verdict)
    verdict = KW_TRY(timing.run());
  else if (at != nullptr)
    result_of(*at).outcome = verdict->outcome;
  auto findings = timing.take_findings();
  std::move(findings.begin(), findings.end(), std::back_inserter(to_.findings));
  to_.speedup = timing.speedup();
  to_.account_ns = timing.account().spent();
  to_.opponent_fault = timing.opponent_fault();
  return verdict;
}

}  // namespace kw::referee
