// Reads, builds and judges a kernel.
// SPDX-License-Identifier: Apache-2.0
#include "session/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "record/target.h"
#include "session/judging/task_judge.h"
#include "session/tasks.h"

namespace kw::session {
namespace {

Evaluation not_a_candidate(const GivenKernel& given) {
  Evaluation e;
  e.verdict = make_verdict(Stage::Propose, Outcome::NoCandidate,
                           {.kind = EvidenceKind::NotACandidate, .detail = given.refusal});
  e.findings = given.findings;
  return e;
}

/// Records which baselines could not serve as the opponent, and why.
class LeftOut final : public engine::Observer {
 public:
  void on_baseline(const engine::BaselineStanding& b) override {
    if (b.mean_ns > 0) return;
    findings_.push_back(
        {FindingKind::Note, 98,
         fmt::format("Baseline {} is not usable: {}", b.candidate.name, engine::failure_words(b)),
         "", ""});
  }
  const std::vector<Finding>& findings() const { return findings_; }

 private:
  std::vector<Finding> findings_;
};

/// Compiles the candidate without judging it; for target cuda this needs neither GPU nor driver.
Result<Evaluation> compile_only(const Options& options, const JudgeRequest& wanted, const Aim& aim,
                                task::Definition definition, const Candidate& candidate) {
  auto store = KW_TRY(store::RunStore::open(options.workspace));
  const DeviceFacts known = KW_TRY(remembered_device(store, aim.target)).value_or(DeviceFacts());
  const auto workbench = KW_TRY(engine::TaskWorkbench::create(
      std::move(definition), {}, KW_TRY(workbench_options(options, aim, known))));
  KW_TRY(workbench.check_baseline(wanted.baseline));
  const auto compilers = KW_TRY(LocalJudge::open_compilers(options, aim));
  auto request = KW_TRY(workbench.request(candidate, nullptr));
  request.id = "judge";
  request.until = Stage::Compile;
  std::erase_if(request.units, [](const BuildUnit& unit) { return unit.role != "candidate"; });
  return compilers->carrier().evaluate(std::move(request));
}

// The architecture of this machine's GPU, the only fact about the GPU that a compilation needs.
Result<std::string> arch_here(const Options& options, const Aim& aim) {
  auto store = KW_TRY(store::RunStore::open(options.workspace));
  return KW_TRY(LocalJudge::open(options, &store, aim))->facts().gpu.front().arch;
}

/// The opponent: the baseline that the flags name, or else the fastest one on this device.
Result<Candidate> opponent_for(const std::string& baseline, const engine::Surroundings& s) {
  const auto standings = KW_TRY(engine::time_baselines(s, baseline));
  return KW_TRY(engine::choose_baseline(standings, baseline))->candidate;
}

Result<Evaluation> judge_with(TaskJudge& judge, const Options& options, const JudgeRequest& wanted,
                              const Candidate& candidate) {
  LeftOut left_out;
  const auto surroundings = judge.surroundings(left_out, options.is_interrupted);
  std::optional<Candidate> opponent;
  if (wanted.until == Stage::Measure) {
    KW_TRY(judge.machine().ensure_ceilings());
    opponent = KW_TRY(opponent_for(wanted.baseline, surroundings));
  }
  auto request = KW_TRY(judge.workbench().request(candidate, opponent ? &*opponent : nullptr));
  request.id = "judge";
  request.until = wanted.until;
  request.seed = surroundings.input_seed;
  KW_TRY(wanted.measuring.apply(request));
  if (!opponent) {
    auto checked = judge.carrier().evaluate(std::move(request));
    judge.carrier().dismiss();
    return checked;
  }
  KW_TRY(engine::recall_floors(surroundings, request));
  auto evaluation = KW_TRY(judge.carrier().evaluate(request));
  judge.carrier().dismiss();
  KW_TRY(engine::remember_floors(surroundings, request, evaluation));
  for (const Finding& finding : left_out.findings()) evaluation.findings.push_back(finding);
  return evaluation;
}

}  // namespace

Result<> Measuring::apply(EvaluationRequest& request) const {
  request.measure.pairs = pairs;
  if (checked_share > 0) request.measure.checked_share = checked_share;
  for (const std::string& name : only)
    if (std::ranges::none_of(request.workloads, [&](const Workload& w) {
          return w.group == Group::Time && w.name == name;
        }))
      return fail_input(ErrorCode::NotFound, "no timed workload is called '" + name + "'",
                        "--only");
  request.measure.only = only;
  request.measure.sustained = sustained;
  request.inspect = inspect;
  return {};
}

Result<JudgeResult> judge(const Options& options, const JudgeRequest& request) {
  const bool compiles_only =
      request.until == Stage::Compile && row_of(request.aim.target).needs_arch;
  Result<std::unique_ptr<LocalJudge>> starting;
  // The worker looks around while this process reads.
  if (!compiles_only) starting = LocalJudge::start(options, request.aim);
  const auto data = KW_TRY(open_data(options));
  auto definition = KW_TRY(open_accepted_task(options, data, request.task));
  KW_TRY(engine::TaskWorkbench::check_baseline(definition, request.aim.target, request.baseline));
  const auto given =
      KW_TRY(read_kernel(request.file, request.aim.target, definition, request.settings));
  JudgeResult result{not_a_candidate(given), given.drafted};
  if (!given.refusal.empty()) return result;
  if (given.drafted)
    for (const std::string& line : notices_of(request.file, *given.drafted)) options.notice(line);
  if (compiles_only) {
    Aim aim = request.aim;
    if (aim.arch.empty()) aim.arch = KW_TRY(arch_here(options, aim));
    result.evaluation =
        KW_TRY(compile_only(options, request, aim, std::move(definition), given.candidate));
  } else {
    auto store = KW_TRY(store::RunStore::open(options.workspace));
    const auto judge =
        KW_TRY(TaskJudge::meet(std::move(starting), options, &store, std::move(definition),
                               request.aim, request.baseline));
    result.evaluation = KW_TRY(judge_with(*judge, options, request, given.candidate));
  }
  return result;
}

Evaluation named_as_given(Evaluation evaluation, const std::string& file) {
  const std::string name = platform::Path(file).stem().string();
  engine::move_place(evaluation.verdict, name, file);
  for (Finding& finding : evaluation.findings)
    finding.place = engine::at_path(finding.place, name, file);
  return evaluation;
}

}  // namespace kw::session
