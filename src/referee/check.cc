// Checks canaries, inputs, padding and values after a call, in that order: damage explains wrong
// values.
// SPDX-License-Identifier: Apache-2.0
#include "referee/check.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/defence.h"
#include "referee/explain.h"
#include "referee/fate.h"
#include "referee/values.h"

namespace kw::referee {
namespace {

Evidence at(Evidence seen, const Bench& bench, const Tensor& tensor) {
  seen.workload = bench.workload().name;
  seen.tensor = tensor.name;
  return seen;
}

Evidence bytes_changed(EvidenceKind kind, std::int64_t bytes) {
  return {.kind = kind, .numbers = {static_cast<double>(bytes)}};
}

Result<std::optional<Verdict>> check_guards(Bench& bench, Leg& leg, int slot, Stage stage) {
  if (!is_on(Defence::Canaries)) return std::nullopt;
  for (std::size_t i = 0; i < bench.workload().tensors.size(); ++i) {
    const std::string damage =
        KW_TRY(bench.device().ops().check_guards(*bench.slots[slot].buffers[i]));
    if (damage.empty()) continue;
    return make_verdict(stage, Outcome::OutOfBounds,
                        at({.kind = EvidenceKind::GuardChanged, .detail = damage}, bench,
                           bench.workload().tensors[i]));
  }
  if (auto damage = KW_TRY(leg.check_workspaces(bench.workload())))
    return make_verdict(stage, Outcome::OutOfBounds, *std::move(damage));
  return std::nullopt;
}

Result<std::optional<Verdict>> check_inputs(Bench& bench, int slot, int set, Stage stage) {
  if (!is_on(Defence::InputsCompared)) return std::nullopt;
  const Buffers* values = KW_TRY(bench.pool().set(set));
  for (std::size_t i = 0; i < bench.workload().tensors.size(); ++i) {
    const Tensor& tensor = bench.workload().tensors[i];
    if (is_written(tensor)) continue;
    const std::int64_t bytes = KW_TRY(bench.device().ops().count_differences(
        *bench.slots[slot].buffers[i], *(*values)[i], tensor, false));
    if (bytes > 0)
      return make_verdict(stage, Outcome::ModifiedInput,
                          at(bytes_changed(EvidenceKind::InputChanged, bytes), bench, tensor));
  }
  return std::nullopt;
}

Result<std::optional<Verdict>> check_padding(Bench& bench, int slot, int set, Stage stage) {
  if (!is_on(Defence::PaddingCompared)) return std::nullopt;
  const Buffers* values = KW_TRY(bench.pool().set(set));
  device::BufferOps& ops = bench.device().ops();
  for (std::size_t i = 0; i < bench.workload().tensors.size(); ++i) {
    const Tensor& tensor = bench.workload().tensors[i];
    if (!is_written(tensor) || !has_padding(tensor)) continue;
    device::Buffer* before = KW_TRY(bench.scratch(i));
    KW_TRY(recreate(ops, bench.workload(), *values, bench.slots[slot], i, *before));
    const std::int64_t bytes =
        KW_TRY(ops.count_differences(*bench.slots[slot].buffers[i], *before, tensor, true));
    if (bytes > 0)
      return make_verdict(stage, Outcome::OutOfBounds,
                          at(bytes_changed(EvidenceKind::PaddingChanged, bytes), bench, tensor));
  }
  return std::nullopt;
}

struct Wrong {
  std::size_t tensor = 0;
  std::size_t region = 0;
  device::Allowance allowance;
  device::Comparison seen;
  Evidence failure;
};

device::Allowance allowance_for(const Bench& bench, const Known& known, std::size_t tensor,
                                std::size_t region) {
  return allowance_of(bench.task().gate, bench.workload().tensors[tensor], bench.workload(),
                      known.regions[tensor][region]);
}

Result<std::optional<Wrong>> check_values(Bench& bench, const Buffers& got, int set,
                                          const Depth& depth, Accuracy& accuracy) {
  const Known& known = bench.truths.known(set);
  std::optional<Wrong> wrong;
  for (std::size_t i = 0; i < bench.workload().tensors.size(); ++i) {
    const Tensor& tensor = bench.workload().tensors[i];
    const device::Buffer* magnitude =
        known.truth.magnitudes.empty() ? nullptr : known.truth.magnitudes[i].get();
    for (std::size_t r = 0; r < tensor.compared.size(); ++r) {
      const device::Allowance allowed = allowance_for(bench, known, i, r);
      auto seen = KW_TRY(bench.device().ops().compare(*got[i], *known.truth.values[i], magnitude,
                                                      tensor, tensor.compared[r], allowed,
                                                      {.seed = depth.seed, .share = depth.share}));
      if (!is_on(Defence::NonfiniteMatched)) seen.failed -= std::exchange(seen.nonfinite_failed, 0);
      auto failure = judge_region(bench.task().gate, tensor, known.regions[i][r], seen,
                                  depth.is_full(), accuracy);
      if (failure && !wrong && is_on(Defence::ValuesCompared))
        wrong = Wrong{i, r, allowed, seen, at(*std::move(failure), bench, tensor)};
    }
  }
  return wrong;
}

// Whether the slot holds the right answer for another input set than the call's, which shows that
// results are remembered. Destroys the slot's content.
Result<bool> is_remembered(Bench& bench, int slot, int set) {
  Buffers copies(bench.workload().tensors.size());
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const Tensor& tensor = bench.workload().tensors[i];
    if (tensor.compared.empty()) continue;
    copies[i] = KW_TRY(bench.device().allocate({.name = "answer." + tensor.name,
                                                .bytes = tensor.bytes(),
                                                .alignment = tensor.alignment,
                                                .shared = false}));
    KW_TRY(bench.device().ops().copy(*copies[i], *bench.slots[slot].buffers[i]));
  }
  KW_TRY(bench.truths.prepare(kWarmSet));
  for (const int other : bench.truths.prepared_sets()) {
    if (other == set) continue;
    Accuracy ignored;
    if (!KW_TRY(check_values(bench, copies, other, {}, ignored))) return true;
  }
  return false;
}

}  // namespace

Result<Checked> check_call(Bench& bench, Leg& leg, int slot, int set, const Depth& depth,
                           Stage stage) {
  KW_ASSERT(bench.truths.is_prepared(set));
  Checked checked;
  checked.verdict = KW_TRY(check_guards(bench, leg, slot, stage));
  if (!checked.verdict && depth.is_full())
    checked.verdict = KW_TRY(check_inputs(bench, slot, set, stage));
  if (!checked.verdict && depth.is_full())
    checked.verdict = KW_TRY(check_padding(bench, slot, set, stage));
  if (checked.verdict) return checked;
  const auto wrong =
      KW_TRY(check_values(bench, bench.slots[slot].buffers, set, depth, checked.accuracy));
  if (!wrong) return checked;
  // A wrong truth would accuse the candidate falsely, so the truth is examined first.
  if (auto doubt = KW_TRY(bench.truths.doubt(set)))
    return fail_input(ErrorCode::TaskAtFault, About{std::move(doubt->about)},
                      std::move(doubt->words));

  const Tensor& tensor = bench.workload().tensors[wrong->tensor];
  checked.findings = KW_TRY(explain_mismatch(bench, slot, set, wrong->tensor, wrong->region,
                                             wrong->allowance, wrong->seen, wrong->failure));
  // Only timed workloads run on several input sets; on the others there is no earlier answer to
  // remember.
  if (bench.workload().group == Group::Time && KW_TRY(is_remembered(bench, slot, set)))
    checked.verdict = make_verdict(stage, Outcome::Cheated,
                                   at({.kind = EvidenceKind::ResultRemembered}, bench, tensor));
  else
    checked.verdict = make_verdict(stage, Outcome::WrongResult, wrong->failure);
  return checked;
}

Result<AfterCheck> check_after_return(Bench& bench, int slot, device::Player& player,
                                      const Watch& watch, Stage stage) {
  if (!is_on(Defence::OnlyAnswersCount)) return AfterCheck{};
  device::BufferOps& ops = bench.device().ops();
  const auto& tensors = bench.workload().tensors;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (is_written(tensors[i])) {
      device::Buffer* copy = KW_TRY(bench.scratch(i));
      KW_TRY(ops.copy(*copy, *bench.slots[slot].buffers[i]));
    }
  const device::AfterReturn after = KW_TRY(player.watch_after_return(watch.span_ns));
  AfterCheck check;
  if (!is_on(Defence::LateWorkWatched)) return check;
  if (after.has_ended) {
    check.verdict =
        make_verdict(stage, Outcome::Crashed,
                     {.kind = EvidenceKind::ExitAfterReturn, .workload = bench.workload().name});
    return check;
  }
  for (std::size_t i = 0; i < tensors.size() && !check.verdict; ++i) {
    if (!is_written(tensors[i])) continue;
    device::Buffer* copy = KW_TRY(bench.scratch(i));
    const std::int64_t bytes =
        KW_TRY(ops.count_differences(*bench.slots[slot].buffers[i], *copy, tensors[i], false));
    if (bytes > 0)
      check.verdict = make_verdict(
          stage, Outcome::Cheated,
          at(bytes_changed(EvidenceKind::OutputChangedLater, bytes), bench, tensors[i]));
  }
  if (!check.verdict && after.processes_left > 0)
    check.verdict = make_verdict(stage, Outcome::Cheated,
                                 {.kind = EvidenceKind::ProcessesLeft,
                                  .numbers = {static_cast<double>(after.processes_left)}});
  if (after.late_cpu_ns > watch.late_cpu_ns)
    check.late = Evidence{.kind = EvidenceKind::WorkAfterReturn,
                          .numbers = {after.late_cpu_ns / 1e6, watch.late_cpu_ns / 1e6}};
  return check;
}

std::int64_t call_timeout(const Options& options, const Bench& bench) {
  constexpr double kLongNs = 10e9;  // A hang costs this much and a little more at most.
  constexpr double kBeyond = 3;
  const double slow = options.timeout_factor * bench.baseline.ns();
  const double wanted =
      bench.runs_plans()
          ? std::min(std::max(bench.baseline.ns(), options.timeout_factor * bench.fast.ns()),
                     kLongNs)
          : std::min(slow, kLongNs + kBeyond * bench.baseline.ns());
  return std::max(options.least_timeout_ns, static_cast<std::int64_t>(wanted));
}

bool may_linger(const Candidate& candidate) {
  return candidate.trust_class != TrustClass::DeviceCode &&
         candidate.trust_class != TrustClass::HostLauncher;
}

bool is_trusted_by_user(const Candidate& candidate) {
  return candidate.trust_class == TrustClass::HostLauncher && !is_trusted(candidate.origin);
}

Watch watch_for(const EvaluationRequest& request, const Options& options,
                const DeviceFacts& facts) {
  if (is_trusted(request.candidate.origin))
    return {options.watch_ns, std::numeric_limits<double>::infinity()};
  constexpr double kBeyond = 1.5;  // the limit can then be passed by one thread alone
  const double allowed =
      options.late_cpu_ns + options.late_cpu_per_core_ns * std::max(facts.cores, 1);
  return {std::max(options.watch_ns, static_cast<std::int64_t>(kBeyond * allowed)), allowed};
}

Result<Repeatability> check_repeat(Bench& bench, Leg& leg, std::int64_t timeout_ns) {
  device::BufferOps& ops = bench.device().ops();
  const auto& tensors = bench.workload().tensors;
  Slot& slot = bench.slots[0];
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (!tensors[i].compared.empty()) {
      device::Buffer* copy = KW_TRY(bench.scratch(i));
      KW_TRY(ops.copy(*copy, *slot.buffers[i]));
    }
  KW_TRY(bench.slots.place_again(0));
  Repeatability repeat;
  KW_TRY(leg.make_ready(bench.workload()));
  const auto call = KW_TRY(leg.call(bench.workload(), timeout_ns));
  repeat.verdict = verdict_of(call, bench.workload().name);
  if (repeat.verdict) return repeat;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].compared.empty()) continue;
    device::Buffer* copy = KW_TRY(bench.scratch(i));
    if (KW_TRY(ops.count_differences(*slot.buffers[i], *copy, tensors[i], false)) == 0) continue;
    const bool real = is_real(tensors[i].dtype);
    const auto first = KW_TRY(bench.device().allocate({.name = "repeat",
                                                       .bytes = widened(tensors[i]).bytes(),
                                                       .alignment = 64,
                                                       .shared = false}));
    KW_TRY(real ? ops.widen(*first, *copy, tensors[i]) : ops.copy(*first, *copy));
    for (const Region& region : tensors[i].compared) {
      const auto seen = KW_TRY(
          ops.compare(*slot.buffers[i], *first, nullptr, tensors[i], region, {.exact = true}, {}));
      repeat.is_equal = repeat.is_equal && seen.failed == 0;
      repeat.spread = std::max(repeat.spread, seen.max_abs_diff);
    }
  }
  return repeat;
}

Result<Verdict> refine_crash(Bench& bench, const Program& program, JailLevel jail, int set,
                             std::int64_t timeout_ns, const Verdict& crash) {
  KW_TRY(bench.slots.repair());
  const auto leg = bench.slots.make_leg("candidate", jail, false, program);
  if (KW_TRY(leg->renew())) return crash;
  KW_TRY(bench.slots.place(0, set));
  KW_TRY(leg->make_ready(bench.workload()));
  const auto again = KW_TRY(leg->call(bench.workload(), timeout_ns));
  auto modified = KW_TRY(check_inputs(bench, 0, set, Stage::Run));
  bench.slots[0].set = -1;
  // The two runs differ only in whether inputs are writable, so the candidate wrote to an input,
  // and may have restored it.
  if (!modified && bench.runs_plans() && again.fate == device::Fate::Returned)
    modified =
        make_verdict(Stage::Run, Outcome::ModifiedInput,
                     {.kind = EvidenceKind::InputWritten, .workload = bench.workload().name});
  return modified.value_or(crash);
}

}  // namespace kw::referee
