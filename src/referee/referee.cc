// Runs one evaluation from load to measure, and keeps what the next evaluation can use.
// SPDX-License-Identifier: Apache-2.0
#include "referee/referee.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/defence.h"
#include "base/text.h"
#include "referee/bench.h"
#include "referee/borrowed.h"
#include "referee/check.h"
#include "referee/fate.h"
#include "referee/haste.h"
#include "referee/many_calls.h"
#include "referee/timing.h"

namespace kw::referee {

/// State that evaluations of one task and seed share. Owns the records that the benches refer to.
struct Referee::Run {
  std::string key;
  Seed seed;
  EvaluationRequest origin;  ///< The first request of the run: task, workloads and trusted units.
  std::map<std::string, Program> programs;  ///< Trusted programs, by role.
  std::map<std::string, std::unique_ptr<Bench>> benches;
  bool is_fast_verified = false;

  const Program* program(const std::string& role) const {
    const auto found = programs.find(role);
    return found == programs.end() ? nullptr : &found->second;
  }
};

namespace {

constexpr std::string_view kRoles[] = {"reference_f64", "magnitude_f64", "reference_native",
                                       "reference_fast", "magnitude_fast"};

std::string key_of(const EvaluationRequest& request) {
  std::string key =
      fmt::format("{}/{}/{}", request.task.sha256, request.seed, name_of(request.jail));
  for (const auto role : kRoles)
    if (const BuildUnit* unit = request.unit(std::string(role)); unit && !unit->object.empty())
      key += "/" + unit->object.front().sha256;
  for (const Workload& workload : request.workloads) key += "/" + workload.name;
  return key;
}

std::string name_of_call(const Bench& bench) {
  return fmt::format("workload '{}'", bench.workload().name);
}

/// Passes on to every bench in `fast` what the small workloads show: that the fast reference may be
/// trusted, and how large the trusted baseline's errors are. `small` are prepared and not fast.
Result<> verify_fast(std::span<Bench* const> small, std::span<Bench* const> fast) {
  if (small.empty())
    return fail_input(
        fmt::format("task '{}' has no small workload on which its fast reference could be "
                    "compared with its reference",
                    fast.front()->task().name));
  KW_TRY(Bench::verify_fast(small, kWarmSet + 1));
  const RelativeErrors worst = Bench::worst_errors(small, kWarmSet + 1);
  for (Bench* bench : fast) bench->expect(worst);
  return {};
}

/// The evaluation in progress.
class Trial {
 public:
  Trial(device::Device& device, const DeviceFacts& facts, const Options& options,
        platform::Clock& clock, const EvaluationRequest& request, const Program& program, Seed seed,
        const Haste& haste, Evaluation& to)
      : device_(device),
        facts_(facts),
        options_(std::move(options)),
        clock_(clock),
        request_(request),
        program_(program),
        seed_(seed),
        haste_(haste),
        to_(to),
        rng_(seed.child("trial").child(request.id)) {}

  using Fate = Result<std::optional<Verdict>>;

  /// `timed`: the workload at which the same process will be timed; null: none.
  Fate load_and_check(const std::vector<Bench*>& small, Bench* timed);
  Fate check_timed(Bench& bench);
  /// Checks the bench's shape on values that its timed inputs do not have.
  Fate check_borrowed(Bench& bench);
  Fate measure(const std::vector<Bench*>& timed, const Program* opponent,
               std::int64_t memory_bytes);
  /// Ends every process of the candidate: they map buffers whose memory is about to be renewed.
  void end_processes() { kept_.clear(); }
  /// Time that check_timed() spent on truths, which later judgements of a run reuse.
  double truth_ns() const { return truth_ns_; }

 private:
  Fate run_one(Bench& bench, Leg& leg, int set, bool is_watched);
  Fate watch(Bench& bench, Leg& leg);
  Result<device::CallResult> call(const Bench& bench, Leg& leg) const;
  WorkloadResult& result_of(const Bench& bench);
  std::int64_t timeout_of(const Bench& bench) const { return call_timeout(options_, bench); }

  device::Device& device_;
  const DeviceFacts& facts_;
  const Options& options_;
  platform::Clock& clock_;
  const EvaluationRequest& request_;
  const Program& program_;
  Seed seed_;
  const Haste& haste_;
  Evaluation& to_;
  Rng rng_;
  std::map<const Bench*, std::unique_ptr<Leg>> kept_;  ///< cuda: checked legs.
  double truth_ns_ = 0;
};

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
    suspicion.tell(!after.late.empty());
    if (suspicion.is_proven()) return Verdict{Stage::Check, Outcome::Cheated, after.late};
    if (!suspicion.is_open()) return std::nullopt;
    KW_TRY(bench.place_again(0));
    if (auto verdict = verdict_of(KW_TRY(call(bench, leg)), name_of_call(bench))) return verdict;
  }
}

Result<device::CallResult> Trial::call(const Bench& bench, Leg& leg) const {
  KW_TRY(leg.make_ready(bench.workload()));
  return leg.call(bench.workload(), timeout_of(bench));
}

// Makes one checked call. Device code is not watched after it returned, because a call returns when
// the device has nothing left to do.
Trial::Fate Trial::run_one(Bench& bench, Leg& leg, int set, bool is_watched) {
  KW_TRY(bench.place(0, set));
  WorkloadResult& result = result_of(bench);
  const auto ended = KW_TRY(call(bench, leg));
  auto verdict = verdict_of(ended, name_of_call(bench));
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
    KW_TRY(bench->ensure_slots(1));
    KW_TRY(bench->renew_memory());
    stands.push_back({&bench->workload(), static_cast<int>(spec.buffers.size())});
    const auto part = bench->player_spec("candidate", request_.jail, true);
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
    if (haste_.is_hurried()) return interrupted("before the check");
    verdict = KW_TRY(run_one(*small[i], leg, kWarmSet + 1, i == 0 || i == surprise));
    if (verdict) return verdict;
  }
  verdict = KW_TRY(call_many_times(small, leg, options_, clock_, haste_, rng_));
  if (verdict) return verdict;
  // The process loses the small workloads' outputs, in which it could keep results.
  if (timed != nullptr) return verdict_of(leg.keep_only(timed->workload()), name_of_call(*timed));
  return std::nullopt;
}

// Checks a timed shape on the warm-up inputs, because inputs of timed calls must not be shown to a
// process that is not timed. Makes one full check and a second run on equal inputs, in a new
// process unless load_and_check() left one.
Trial::Fate Trial::check_timed(Bench& bench) {
  if (!is_on(Defence::TimedShapesChecked)) return std::nullopt;
  if (haste_.is_hurried()) return interrupted("before the check");
  const std::int64_t started = clock_.now_ns();
  KW_TRY(bench.prepare(kWarmSet));
  truth_ns_ += static_cast<double>(clock_.now_ns() - started);
  KW_TRY(bench.ensure_slots(1));
  std::unique_ptr<Leg> own = std::move(kept_[&bench]);
  if (!own) {
    KW_TRY(bench.renew_memory());
    own = bench.make_leg("candidate", request_.jail, true, program_);
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
    return Verdict{Stage::Check, Outcome::WrongResult,
                   fmt::format("workload '{}': {}; the task requires determinism",
                               bench.workload().name, result.note)};
  }
  Checked again = KW_TRY(check_call(bench, leg, 0, kWarmSet, {}, Stage::Check));
  std::move(again.findings.begin(), again.findings.end(), std::back_inserter(to_.findings));
  if (again.verdict) result.outcome = again.verdict->outcome;
  return again.verdict;
}

Trial::Fate Trial::check_borrowed(Bench& bench) {
  if (haste_.is_hurried()) return interrupted("before the check");
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
    if (haste_.is_hurried()) return interrupted("before the timing");
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

}  // namespace

Referee::Referee(device::Device& device, device::Device* host, Options options,
                 platform::Clock& clock)
    : device_(device),
      host_(host != nullptr ? host : &device),
      facts_(device.facts()),
      options_(std::move(options)),
      clock_(clock) {}
Referee::~Referee() = default;

Result<Referee::Run*> Referee::run_for(const EvaluationRequest& request) {
  const bool confirm = request.measure.purpose == Purpose::Confirm;
  const std::string key = key_of(request);
  fresh_run_.reset();
  if (!confirm && run_ && run_->key == key) return run_.get();
  auto run = std::make_unique<Run>();
  run->key = key;
  run->seed = Seed::from_number(request.seed).child(request.task.sha256);
  // A certificate rests on inputs that no search has seen.
  if (confirm) run->seed = run->seed.child("confirm").child(request.id);
  run->origin = request;
  for (const auto role : kRoles)
    if (auto program = program_of(request, role))
      run->programs.emplace(std::string(role), *std::move(program));
  Trusted trusted{.maker = {.device = host_,
                            .task = &run->origin.task,
                            .reference = run->program("reference_f64"),
                            .magnitude = run->program("magnitude_f64"),
                            .jail = request.jail,
                            .timeout_ns = options_.reference_timeout_ns,
                            .patience = options_.patience},
                  .native = run->program("reference_native")};
  trusted.fast = trusted.maker;
  trusted.fast.device = &device_;
  trusted.fast.reference = run->program("reference_fast");
  trusted.fast.magnitude = run->program("magnitude_fast");
  for (const Workload& workload : run->origin.workloads)
    run->benches.emplace(workload.name,
                         std::make_unique<Bench>(device_, run->origin.task, workload,
                                                 run->seed.child(workload.name), trusted));
  auto& slot = confirm ? fresh_run_ : run_;
  slot = std::move(run);
  return slot.get();
}

// Computes the truths of small workloads, and compares the fast reference with the host's truths.
Result<> Referee::prepare_small(Run& run, const std::vector<Bench*>& small,
                                const std::vector<Bench*>& timed) {
  std::vector<Bench*> fast;
  std::vector<Bench*> on_host;
  for (Bench* bench : small) (bench->is_fast() ? fast : on_host).push_back(bench);
  KW_TRY(Bench::prepare_together(on_host, kWarmSet + 1));
  const auto needs_it = [](const Bench* bench) { return bench->is_fast(); };
  // Even where the host is quick enough, the fast reference serves sets of single timed pairs.
  const bool trusts_it = !fast.empty() || std::any_of(timed.begin(), timed.end(), needs_it) ||
                         (!timed.empty() && !on_host.empty() && run.program("reference_fast"));
  if (trusts_it && !std::exchange(run.is_fast_verified, true)) {
    std::vector<Bench*> all;  // all fast benches of the run: the next request may time others
    for (auto& [name, bench] : run.benches)
      if (bench->is_fast()) all.push_back(bench.get());
    const auto verified = verify_fast(on_host, all);
    run.is_fast_verified = verified.has_value();
    KW_TRY(verified);
    for (auto& [name, bench] : run.benches) bench->trust_fast();
  }
  return Bench::prepare_together(fast, kWarmSet + 1);
}

// Whether a confirmation may lack memory beside what a search keeps: each workload must fit, and
// all of them together, with as much again for what checking and timing need.
bool Referee::is_tight(const std::vector<Bench*>& timed) const {
  std::int64_t wanted = 0;
  for (const Bench* bench : timed) {
    if (!bench->could_fit()) continue;  // such a workload is left out in any case
    if (!bench->fits()) return true;
    wanted += 2 * bench->bytes_to_begin();
  }
  return wanted > device_.free_bytes();
}

std::string Referee::why_no_room(const Bench& bench) const {
  const std::string needs = "input sets, right results and buffers need " +
                            format_bytes(static_cast<std::uint64_t>(bench.bytes_to_begin()));
  if (!bench.could_fit())
    return fmt::format("{}; this device has {} in all", needs,
                       format_bytes(static_cast<std::uint64_t>(device_.facts().memory_bytes)));
  return fmt::format("{}; {} are free", needs,
                     format_bytes(static_cast<std::uint64_t>(device_.free_bytes())));
}

// Waits until the GPU has recovered from a fault or a killed process; 50 ms were seen.
Result<> Referee::await_recovery() {
  constexpr int kProbes = 4;
  for (int i = 0; i < kProbes; ++i) {
    if (i > 0) clock_.sleep_for(platform::Nanoseconds(options_.recovery_pause_ns));
    if (KW_TRY(device_.probe())) return {};
    if (!row_of(facts_.target).recovers_slowly) break;
  }
  return fail("the device no longer computes correctly after this candidate", {}, Advice::Stop);
}

Result<Evaluation> Referee::judge(const EvaluationRequest& request) {
  const BuildUnit* unit = request.unit("candidate");
  if (unit == nullptr || unit->object.empty()) return fail("the candidate was not compiled");
  const BuildUnit* opponent = request.unit("opponent");
  if (!request.opponent.source.empty() && (opponent == nullptr || opponent->object.empty()))
    return fail("the opponent was not compiled");
  Run* run = KW_TRY(run_for(request));
  Haste haste(options_, request.measure, clock_);

  Evaluation evaluation;
  evaluation.id = request.id;
  evaluation.skipped = request.skipped;
  evaluation.trust_class = request.candidate.trust_class;
  if (!request.opponent.source.empty()) evaluation.opponent_class = request.opponent.trust_class;
  evaluation.opponent_trusted_by_user = is_trusted_by_user(request.opponent);
  evaluation.device = device_.facts().id;
  evaluation.machine = device_.facts().model;
  evaluation.object_sha256 = code_identity(request);

  std::vector<Bench*> small;
  std::vector<Bench*> timed;
  for (const Workload& workload : request.workloads) {
    if (workload.group == Group::Check && !is_on(Defence::HiddenShapes)) continue;
    Bench* bench = run->benches.at(workload.name).get();
    (workload.group == Group::Time ? timed : small).push_back(bench);
  }
  const auto& only = request.measure.only;
  if (!only.empty())
    std::erase_if(timed, [&](const Bench* bench) {
      return std::find(only.begin(), only.end(), bench->workload().name) == only.end();
    });

  const auto has_room = [](const Bench* bench) { return bench->fits(); };
  if (request.measure.purpose == Purpose::Confirm && is_tight(timed))
    run_.reset();           // a certificate is worth more than what a search kept
  bool is_crowded = false;  // true: a workload would fit if the memory were free
  for (std::size_t i = timed.size(); i-- > 0;)
    if (!has_room(timed[i])) {
      is_crowded = is_crowded || timed[i]->could_fit();
      evaluation.skipped.push_back(
          {timed[i]->workload().name, Group::Time, why_no_room(*timed[i])});
      timed.erase(timed.begin() + static_cast<std::ptrdiff_t>(i));
    }

  const Program candidate = program_of(request, "candidate").value();
  const std::optional<Program> against =
      request.opponent.source.empty() ? std::nullopt : program_of(request, "opponent");
  Trial trial(device_, facts_, options_, clock_, request, candidate, run->seed, haste, evaluation);
  const std::int64_t memory =
      options_.memory_bytes > 0 ? options_.memory_bytes : device_.free_bytes() / 2;
  std::int64_t mark = clock_.now_ns();
  const auto spent = [&](const char* stage) {
    const std::int64_t now = clock_.now_ns();
    evaluation.stage_ns[stage] = static_cast<double>(now - mark);
    mark = now;
  };
  if (request.until >= Stage::Run) KW_TRY(prepare_small(*run, small, timed));
  spent("truth");
  const bool shares =
      row_of(facts_.target).launches_by_plan && request.until >= Stage::Check && !timed.empty();
  std::optional<Verdict> verdict =
      KW_TRY(trial.load_and_check(small, shares ? timed.front() : nullptr));
  for (Bench* bench : timed)
    if (!verdict && request.until >= Stage::Check) verdict = KW_TRY(trial.check_timed(*bench));
  const bool borrows = request.until >= Stage::Check && request.measure.purpose != Purpose::Search;
  for (Bench* bench : timed)
    if (!verdict && borrows) verdict = KW_TRY(trial.check_borrowed(*bench));
  spent("check");
  // Loading and truths count as stages of their own; their times lie within the check's.
  evaluation.stage_ns["check"] -= evaluation.stage_ns["load"] + trial.truth_ns();
  evaluation.stage_ns["truth"] += trial.truth_ns();
  const bool measures = request.until >= Stage::Measure;
  // A certificate speaks of every shape that this machine can hold.
  const bool is_short =
      evaluation.skipped.size() > request.skipped.size() &&
      (timed.empty() || (is_crowded && request.measure.purpose == Purpose::Confirm));
  if (!verdict && measures && is_short)
    verdict = Verdict{Stage::Measure, Outcome::Unmeasurable,
                      "not every timed workload fits into the memory that is free now"};
  if (!verdict && measures && !timed.empty()) {
    mark += KW_TRY(haste.wait_outside(options_.before_measuring));
    verdict = KW_TRY(trial.measure(timed, against ? &*against : nullptr, memory));
    spent("measure");
    if (const auto retime = evaluation.account_ns.find("retime");
        retime != evaluation.account_ns.end()) {
      evaluation.stage_ns["retime"] = retime->second;
      evaluation.stage_ns["measure"] -= retime->second;
    }
  }
  evaluation.verdict = verdict.value_or(Verdict{request.until, Outcome::Correct, ""});
  trial.end_processes();
  for (auto& [name, bench] : run->benches) bench->rest_if_large();
  if (verdict) {
    for (auto& [name, bench] : run->benches) KW_TRY(bench->repair());
    KW_TRY(await_recovery());
  }
  if (request.measure.purpose == Purpose::Confirm) fresh_run_.reset();
  return evaluation;
}

}  // namespace kw::referee
