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
#include "record/coded_inputs.h"
#include "referee/bench.h"
#include "referee/check.h"
#include "referee/haste.h"
#include "referee/program.h"
#include "referee/trial.h"

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

/// The benches that one evaluation uses.
struct Referee::Shapes {
  std::vector<Bench*> small;
  std::vector<Bench*> timed;
  /// True if a workload was left out of `timed` that would fit if the memory were free.
  bool is_crowded = false;
};

namespace {

constexpr std::string_view kRoles[] = {"reference_f64",  "magnitude_f64",  "reference_native",
                                       "reference_fast", "magnitude_fast", kCodedRole};

std::string key_of(const EvaluationRequest& request) {
  std::string key =
      fmt::format("{}/{}/{}", request.task.sha256, request.seed, name_of(request.jail));
  for (const auto role : kRoles)
    if (const BuildUnit* unit = request.unit(std::string(role)); unit && !unit->object.empty())
      key += "/" + unit->object.front().sha256;
  for (const Workload& workload : request.workloads) key += "/" + workload.name;
  return key;
}

/// Passes on to every bench in `fast` what the small workloads show: that the fast reference may be
/// trusted, and how large the trusted baseline's errors are. `small` are prepared and not fast.
Result<> verify_fast(std::span<Bench* const> small, std::span<Bench* const> fast) {
  if (small.empty())
    return fail_input(
        ErrorCode::Missing, About{"small workload"},
        fmt::format("task '{}' has no small workload on which its fast reference could be "
                    "compared with its reference",
                    fast.front()->task().name));
  KW_TRY(KnownTruths::verify_fast(truths_of(small), kWarmSet + 1));
  const RelativeErrors worst = worst_errors(small, kWarmSet + 1);
  for (Bench* bench : fast) bench->baseline.expect(worst);
  return {};
}

/// An error if the request lacks a program that it needs.
Result<> require_programs(const EvaluationRequest& request) {
  const BuildUnit* unit = request.unit("candidate");
  if (unit == nullptr || unit->object.empty())
    return fail(ErrorCode::Missing, About{"candidate"}, "the candidate was not compiled");
  const BuildUnit* opponent = request.unit("opponent");
  if (!request.opponent.source.empty() && (opponent == nullptr || opponent->object.empty()))
    return fail(ErrorCode::Missing, About{"opponent"}, "the opponent was not compiled");
  return {};
}

/// The evaluation before anything was looked at.
Evaluation begin_evaluation(const EvaluationRequest& request, const DeviceFacts& facts) {
  Evaluation evaluation;
  evaluation.id = request.id;
  evaluation.skipped = request.skipped;
  evaluation.trust_class = request.candidate.trust_class;
  if (!request.opponent.source.empty()) evaluation.opponent_class = request.opponent.trust_class;
  evaluation.opponent_trusted_by_user = is_trusted_by_user(request.opponent);
  evaluation.device = facts.id;
  evaluation.machine = facts.model;
  evaluation.object_sha256 = code_identity(request);
  return evaluation;
}

/// Enters how long each stage took: from the end of the stage before it.
class StageTimes {
 public:
  StageTimes(const platform::Clock& clock, std::map<std::string, double>& to)
      : clock_(clock), to_(to), mark_(clock.now_ns()) {}

  void end(const char* stage) {
    const std::int64_t now = clock_.now_ns();
    to_[stage] = static_cast<double>(now - mark_);
    mark_ = now;
  }
  /// Keeps that many nanoseconds out of the stage in progress.
  void leave_out(std::int64_t ns) { mark_ += ns; }

 private:
  const platform::Clock& clock_;
  std::map<std::string, double>& to_;
  std::int64_t mark_;
};

/// Makes the time of retiming, which lies within that of measuring, a stage of its own.
void part_retiming(Evaluation& evaluation) {
  const auto retime = evaluation.account_ns.find("retime");
  if (retime == evaluation.account_ns.end()) return;
  evaluation.stage_ns["retime"] = retime->second;
  evaluation.stage_ns["measure"] -= retime->second;
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
                  .native = run->program("reference_native"),
                  .coded = run->program(kCodedRole)};
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
Result<> Referee::prepare_small(Run& run, const Shapes& shapes) {
  const std::vector<Bench*>& timed = shapes.timed;
  std::vector<Bench*> fast;
  std::vector<Bench*> on_host;
  for (Bench* bench : shapes.small) (bench->is_fast() ? fast : on_host).push_back(bench);
  KW_TRY(KnownTruths::prepare_together(truths_of(on_host), kWarmSet + 1));
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
    for (auto& [name, bench] : run.benches) bench->fast.trust();
  }
  return KnownTruths::prepare_together(truths_of(fast), kWarmSet + 1);
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
  return fail(ErrorCode::DeviceFailed, About{"recovery"},
              "the device no longer computes correctly after this candidate", {}, Advice::Stop);
}

// Chooses what this evaluation looks at.
Referee::Shapes Referee::shapes_of(const Run& run, const EvaluationRequest& request) {
  Shapes shapes;
  for (const Workload& workload : request.workloads) {
    if (workload.group == Group::Check && !is_on(Defence::HiddenShapes)) continue;
    Bench* bench = run.benches.at(workload.name).get();
    (workload.group == Group::Time ? shapes.timed : shapes.small).push_back(bench);
  }
  const auto& only = request.measure.only;
  if (!only.empty())
    std::erase_if(shapes.timed, [&](const Bench* bench) {
      return std::find(only.begin(), only.end(), bench->workload().name) == only.end();
    });
  return shapes;
}

// Leaves out the timed workloads that do not fit into the memory that is free.
void Referee::make_room(const EvaluationRequest& request, Shapes& shapes, Evaluation& evaluation) {
  std::vector<Bench*>& timed = shapes.timed;
  if (request.measure.purpose == Purpose::Confirm && is_tight(timed))
    run_.reset();  // a certificate is worth more than what a search kept
  for (std::size_t i = timed.size(); i-- > 0;)
    if (!timed[i]->fits()) {
      shapes.is_crowded = shapes.is_crowded || timed[i]->could_fit();
      evaluation.skipped.push_back(
          {timed[i]->workload().name, Group::Time, why_no_room(*timed[i])});
      timed.erase(timed.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

// Whether too little fits for what the request asks for. A certificate speaks of every shape that
// this machine can hold.
bool Referee::is_short(const EvaluationRequest& request, const Shapes& shapes,
                       const Evaluation& evaluation) {
  return evaluation.skipped.size() > request.skipped.size() &&
         (shapes.timed.empty() ||
          (shapes.is_crowded && request.measure.purpose == Purpose::Confirm));
}

Result<std::optional<Verdict>> Referee::check(Trial& trial, const EvaluationRequest& request,
                                              const Shapes& shapes) const {
  const bool checks = request.until >= Stage::Check;
  const bool shares = row_of(facts_.target).launches_by_plan && checks && !shapes.timed.empty();
  auto verdict =
      KW_TRY(trial.load_and_check(shapes.small, shares ? shapes.timed.front() : nullptr));
  if (verdict || !checks) return verdict;
  for (Bench* bench : shapes.timed) {
    verdict = KW_TRY(trial.check_timed(*bench));
    if (verdict) return verdict;
  }
  if (request.measure.purpose == Purpose::Search) return std::nullopt;
  for (Bench* bench : shapes.timed) {
    verdict = KW_TRY(trial.check_borrowed(*bench));
    if (verdict) return verdict;
  }
  return std::nullopt;
}

// Makes the run ready for the next evaluation.
Result<> Referee::tidy_up(Run& run, bool went_wrong) {
  for (auto& [name, bench] : run.benches) bench->fast.rest_if_large();
  if (!went_wrong) return {};
  for (auto& [name, bench] : run.benches) KW_TRY(bench->slots.repair());
  return await_recovery();
}

Result<Evaluation> Referee::judge(const EvaluationRequest& request) {
  KW_TRY(require_programs(request));
  Run* run = KW_TRY(run_for(request));
  Haste haste(options_, request.measure, clock_);
  Evaluation evaluation = begin_evaluation(request, device_.facts());
  Shapes shapes = shapes_of(*run, request);
  make_room(request, shapes, evaluation);

  const Program candidate = program_of(request, "candidate").value();
  const std::optional<Program> against =
      request.opponent.source.empty() ? std::nullopt : program_of(request, "opponent");
  Trial trial(device_, facts_, options_, clock_, request, candidate, run->seed, haste, evaluation);
  const std::int64_t memory =
      options_.memory_bytes > 0 ? options_.memory_bytes : device_.free_bytes() / 2;
  StageTimes times(clock_, evaluation.stage_ns);
  if (request.until >= Stage::Run) KW_TRY(prepare_small(*run, shapes));
  times.end("truth");
  std::optional<Verdict> verdict = KW_TRY(check(trial, request, shapes));
  times.end("check");
  // Loading and truths count as stages of their own; their times lie within the check's.
  evaluation.stage_ns["check"] -= evaluation.stage_ns["load"] + trial.truth_ns();
  evaluation.stage_ns["truth"] += trial.truth_ns();
  const bool measures = !verdict && request.until >= Stage::Measure;
  if (measures && is_short(request, shapes, evaluation)) {
    verdict =
        make_verdict(Stage::Measure, Outcome::Unmeasurable, {.kind = EvidenceKind::NoRoomToTime});
  } else if (measures && !shapes.timed.empty()) {
    times.leave_out(KW_TRY(haste.wait_outside(options_.before_measuring)));
    verdict = KW_TRY(trial.measure(shapes.timed, against ? &*against : nullptr, memory));
    times.end("measure");
    part_retiming(evaluation);
  }
  evaluation.verdict = verdict.value_or(make_verdict(request.until, Outcome::Correct, {}));
  trial.end_processes();
  KW_TRY(tidy_up(*run, verdict.has_value()));
  if (request.measure.purpose == Purpose::Confirm) fresh_run_.reset();
  return evaluation;
}

}  // namespace kw::referee
