// kw judge FILE --task T: the referee's verdict on one candidate.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/rng.h"
#include "cli/commands.h"
#include "cli/given_kernel.h"
#include "cli/judge_flags.h"
#include "cli/judge_pair.h"
#include "cli/session.h"
#include "cli/verdict_view.h"
#include "engine/run.h"
#include "record/codec.h"
#include "task/header.h"
#include "task/narrowed.h"

namespace kw::cli {
namespace {

Evaluation not_a_candidate(const GivenKernel& given) {
  Evaluation e;
  e.verdict = {Stage::Propose, Outcome::NoCandidate, given.refusal};
  e.findings = given.findings;
  return e;
}

std::string stem_of(const std::string& path) { return platform::Path(path).stem().string(); }

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
Result<Evaluation> compile_only(const Global& global, const Aim& aim, task::Definition definition,
                                const Candidate& candidate, const std::string& baseline) {
  auto store = KW_TRY(store::RunStore::open(global.workspace));
  const DeviceFacts known = KW_TRY(remembered_device(store, aim.target)).value_or(DeviceFacts());
  const auto workbench = KW_TRY(engine::TaskWorkbench::create(
      std::move(definition), {}, KW_TRY(workbench_options(global, aim, known))));
  KW_TRY(workbench.check_baseline(baseline));
  const auto bench = KW_TRY(Bench::open_compilers(global, aim));
  auto request = KW_TRY(workbench.request(candidate, nullptr));
  request.id = "judge";
  request.until = Stage::Compile;
  std::erase_if(request.units, [](const BuildUnit& unit) { return unit.role != "candidate"; });
  return bench->carrier().evaluate(std::move(request));
}

/// The opponent: the baseline that the flags name, or else the fastest one on this device.
Result<Candidate> opponent_for(const JudgeFlags& flags, const engine::Surroundings& s) {
  const auto standings = KW_TRY(engine::time_baselines(s, flags.baseline));
  return KW_TRY(engine::choose_baseline(standings, flags.baseline))->candidate;
}

// The architecture of this machine's GPU, the only fact about the GPU that a compilation needs.
Result<std::string> arch_here(const Global& global, const Aim& aim) {
  auto store = KW_TRY(store::RunStore::open(global.workspace));
  return KW_TRY(Bench::open(global, &store, aim))->facts().gpu.front().arch;
}

Result<Evaluation> judge(const Global& global, const JudgeFlags& flags, Stage until,
                         std::optional<DraftedPlan>& drafted) {
  Aim aim = KW_TRY(flags.target.aim(flags.file));
  const bool compiles_only = until == Stage::Compile && aim.target == Target::Cuda;
  Result<std::unique_ptr<Bench>> starting;
  // The worker starts and examines the device while this process reads files.
  if (!compiles_only) starting = Bench::start(global, aim);
  const auto data = KW_TRY(open_data(global));
  auto definition = KW_TRY(open_accepted_task(global, data, flags.task));
  KW_TRY(engine::TaskWorkbench::check_baseline(definition, aim.target, flags.baseline));
  const auto given = KW_TRY(read_kernel(flags.file, aim.target, definition, flags.settings));
  if (!given.refusal.empty()) return not_a_candidate(given);
  drafted = given.drafted;
  if (drafted && !global.json) say_drafted(flags.file, *drafted);
  if (compiles_only && aim.arch.empty()) aim.arch = KW_TRY(arch_here(global, aim));
  if (compiles_only)
    return compile_only(global, aim, std::move(definition), given.candidate, flags.baseline);
  auto store = KW_TRY(store::RunStore::open(global.workspace));
  auto bench = KW_TRY(std::move(starting));
  KW_TRY(bench->meet(&store, aim));
  const auto workbench = KW_TRY(engine::TaskWorkbench::create(
      std::move(definition), {}, KW_TRY(workbench_options(global, aim, bench->facts()))));
  KW_TRY(workbench.check_baseline(flags.baseline));
  LeftOut left_out;
  const engine::Surroundings surroundings{workbench,
                                          bench->carrier(),
                                          store,
                                          platform::real_clock(),
                                          left_out,
                                          global.is_interrupted,
                                          Seed::from_os().low,
                                          bench->judge_id()};
  std::optional<Candidate> opponent;
  if (until == Stage::Measure) {
    KW_TRY(bench->ensure_ceilings());
    opponent = KW_TRY(opponent_for(flags, surroundings));
  }
  auto request = KW_TRY(workbench.request(given.candidate, opponent ? &*opponent : nullptr));
  request.id = "judge";
  request.until = until;
  request.seed = surroundings.input_seed;
  KW_TRY(shape_measurement(flags, request));
  if (!opponent) {
    auto checked = bench->carrier().evaluate(std::move(request));
    bench->carrier().dismiss();
    return checked;
  }
  KW_TRY(engine::recall_floors(surroundings, request));
  auto evaluation = KW_TRY(bench->carrier().evaluate(request));
  bench->carrier().dismiss();
  KW_TRY(engine::remember_floors(surroundings, request, evaluation));
  for (const Finding& finding : left_out.findings()) evaluation.findings.push_back(finding);
  return evaluation;
}

/// The evaluation in which messages use the file's path as the user gave it, instead of the short
/// name that compiler and referee print.
Evaluation named_as_given(Evaluation evaluation, const std::string& file) {
  const auto rename = [&, name = stem_of(file)](std::string& text) {
    text = engine::at_path(text, name, file);
  };
  rename(evaluation.verdict.evidence);
  for (Finding& finding : evaluation.findings) rename(finding.place);
  return evaluation;
}

int run(const Global& global, const JudgeFlags& flags) {
  if (!flags.against.empty() && !flags.baseline.empty())
    return report_error(
        global, {"--against names the opponent, and so does --baseline: give one of them", ""},
        kUsage);
  const auto until = enum_from<Stage>(flags.until);
  if (!until || (*until != Stage::Compile && *until != Stage::Check && *until != Stage::Measure))
    return report_error(
        global, {"--until is compile, check or measure, not '" + flags.until + "'", ""}, kUsage);
  if (*until == Stage::Compile && (flags.inspect.profile || flags.inspect.sanitize))
    return report_error(global,
                        {"--profile and --sanitize look at a kernel that runs: give --until check "
                         "or --until measure",
                         ""},
                        kUsage);
  if (*until != Stage::Measure && flags.sustained)
    return report_error(global, {"--sustained times calls, which needs --until measure", ""},
                        kUsage);
  if (!flags.against.empty()) return end_command(global, judge_pair(global, flags, *until));
  std::optional<DraftedPlan> drafted;
  const auto evaluation = judge(global, flags, *until, drafted);
  if (!evaluation) return report_error(global, evaluation.error(), code_of(evaluation.error()));
  if (global.json) {
    Json object = evaluation_json(*evaluation);
    if (drafted) object["drafted"] = drafted_json(*drafted);
    std::printf("%s\n", dump_json(object).c_str());
  } else {
    print_evaluation(named_as_given(*evaluation, flags.file));
  }
  return evaluation->verdict.is_correct() ? kDone : kNotGood;
}

}  // namespace

Command judge_command() {
  auto flags = std::make_shared<JudgeFlags>();
  Command command;
  command.name = "judge";
  command.summary = "Judge one kernel: screen, compile, check, measure";
  command.declare = [flags](Flags& f) {
    f.positional("file", flags->file, "Source file of the kernel to judge");
    f.text("--task", flags->task, "Task folder, or name of a shipped task");
    flags->target.declare(f, true);
    f.text("--until", flags->until, "Last stage: compile, check or measure");
    f.text("--baseline", flags->baseline,
           "Baseline to compare with, by name; default: the fastest");
    f.text("--against", flags->against,
           "Compare with another kernel of yours, or with a host launcher that you trust");
    f.texts("--set", flags->settings, "Value of a knob of the kernel, as K=V; repeatable");
    f.texts("--only", flags->only, "Time only this workload of the task; repeatable");
    f.integer("--pairs", flags->pairs, "Time exactly this many pairs; default: until decided",
              {1, 100'000});
    f.text("--checked-share", flags->checked_share,
           "Share of the output checked after each timed call, such as 1/16");
    f.on_off("--sustained", flags->sustained,
             "cuda: also time calls back to back, for a second and more");
    f.on_off("--profile", flags->inspect.profile,
             "cuda: afterwards time each launch and read counters (Nsight Compute)");
    f.on_off("--sanitize", flags->inspect.sanitize,
             "cuda: afterwards look for races and bad accesses (compute-sanitizer)");
  };
  command.run = [flags](const Global& global) {
    if (flags->task.empty()) return report_error(global, {"--task is required", ""}, kUsage);
    return run(global, *flags);
  };
  return command;
}

}  // namespace kw::cli
