// kw judge FILE --task T: the referee's verdict on one candidate.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/judge_flags.h"
#include "cli/judge_pair.h"
#include "cli/verdict_view.h"
#include "record/target.h"
#include "report/evaluation_json.h"

namespace kw::cli {
namespace {

Result<session::JudgeResult> judge(const Global& global, const JudgeFlags& flags, Stage until) {
  session::JudgeRequest request;
  request.file = flags.file;
  request.task = flags.task;
  request.aim = KW_TRY(flags.target.aim(flags.file));
  request.settings = flags.settings;
  request.baseline = flags.baseline;
  request.until = until;
  request.measuring = KW_TRY(measuring_of(flags));
  return session::judge(global, request);
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
  const auto result = judge(global, flags, *until);
  if (!result) return report_error(global, result.error(), code_of(result.error()));
  if (global.json) {
    Json object = report::evaluation_json(result->evaluation);
    if (result->drafted) object["drafted"] = drafted_json(*result->drafted);
    std::printf("%s\n", dump_json(object).c_str());
  } else {
    print_evaluation(session::named_as_given(result->evaluation, flags.file));
  }
  return result->evaluation.verdict.is_correct() ? kDone : kNotGood;
}

/// The first screen of kw judge --help.
std::vector<HelpGroup> judge_screen() {
  return {
      {"Kernel",
       {{"FILE", "", "source file of the kernel to judge"},
        {"--task", "NAME", "task folder, or name of a shipped task"},
        {"--set", "K=V", "value of a knob of the kernel; repeatable"},
        {"--target", "X", target_names(" or ") + "; default: by the file's suffix"}},
       {"--arch"}},
      {"Judgement",
       {{"--until", "STAGE", "last stage: compile, check or measure"},
        {"--baseline", "NAME", "baseline to compare with; default: the fastest"},
        {"--against", "FILE", "compare with another kernel of yours"}},
       {}},
      {"Timing",
       {{"--only", "NAME", "time only this workload of the task; repeatable"},
        {"--pairs", "N", "time exactly this many pairs; default: until decided"},
        {"--sustained", "", "cuda: also time calls back to back"}},
       {"--checked-share"}},
      {"Inspection",
       {{"--profile", "", "cuda: afterwards time launches and read counters"},
        {"--sanitize", "", "cuda: afterwards look for races and bad accesses"}},
       {}},
  };
}

}  // namespace

Command judge_command() {
  auto flags = std::make_shared<JudgeFlags>();
  Command command;
  command.name = "judge";
  command.summary = "Judge one kernel: screen, compile, check, measure";
  command.screen = judge_screen();
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
