// kw specialise FILE|RUN: writes one kernel that has its own knobs and constants for each timed
// shape.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/rng.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/status.h"
#include "cli/target_flags.h"
#include "session/given_kernel.h"
#include "session/local_judge.h"
#include "session/shape_builds.h"
#include "session/tasks.h"

namespace kw::cli {
namespace {

struct SpecialiseFlags {
  std::string kernel;
  std::string task;
  TargetFlags target;
  std::vector<std::string> settings;
  std::string baseline;
  std::int64_t points = engine::SpecialiseOptions().points;
};

/// The kernel that the positional argument names.
struct Named {
  std::optional<RunSummary> run;  ///< The run; nothing: the argument is a file.
  std::string task;
  Aim aim;
};

Result<Named> named_by(const SpecialiseFlags& flags, const store::RunStore& store) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(flags.kernel, ignored)) {
    if (flags.task.empty())
      return fail_input("a kernel's file needs --task, which names the task that it computes");
    return Named{{}, flags.task, KW_TRY(flags.target.aim(flags.kernel))};
  }
  const RunSummary run = KW_TRY(store.find(flags.kernel));
  if (!flags.task.empty() || !flags.target.target.empty())
    return fail_input(
        "--task and --target go with a kernel's file; a run has its own task and target");
  return Named{run, run.config.task_path, {run.config.target, run.config.arch}};
}

Result<Candidate> kernel_of(const Global& global, const SpecialiseFlags& flags, const Named& named,
                            const store::RunStore& store, const task::Definition& definition) {
  if (!named.run)
    return session::kernel_in_file(global, flags.kernel, named.aim.target, definition,
                                   flags.settings);
  Candidate kernel = KW_TRY(session::best_of_run(store, *named.run, named.aim.target, definition));
  KW_TRY(session::set_knobs(kernel, flags.settings));
  return kernel;
}

Result<int> specialise(const Global& global, const SpecialiseFlags& flags) {
  auto store = KW_TRY(store::RunStore::open(global.workspace));
  const Named named = KW_TRY(named_by(flags, store));
  const auto data = KW_TRY(session::open_data(global));
  auto definition = KW_TRY(session::open_accepted_task(global, data, named.task));
  KW_TRY(engine::TaskWorkbench::check_baseline(definition, named.aim.target, flags.baseline));
  const Candidate kernel = KW_TRY(kernel_of(global, flags, named, store, definition));
  const auto bench = KW_TRY(session::LocalJudge::open(global, &store, named.aim));
  const auto workbench = KW_TRY(engine::TaskWorkbench::create(
      std::move(definition), {},
      KW_TRY(session::workbench_options(global, named.aim, bench->facts()))));
  KW_TRY(workbench.check_baseline(flags.baseline));
  KW_TRY(bench->ensure_ceilings());
  const platform::SignalGuard signals;
  engine::Observer quiet;
  const engine::Surroundings surroundings{workbench,
                                          bench->carrier(),
                                          store,
                                          platform::real_clock(),
                                          quiet,
                                          [&] { return signals.is_interrupted(); },
                                          Seed::from_os().low,
                                          bench->judge_id()};
  bench->carrier().hurry_when(surroundings.is_interrupted);
  global.status->answer_interruption(
      surroundings.is_interrupted,
      "interrupted: ending after the step in progress; Ctrl-C again to stop now");
  const auto built = session::build_for_shapes(
      surroundings, workbench, kernel,
      {.points = static_cast<int>(flags.points), .baseline = flags.baseline},
      [](const std::string& line) { std::fprintf(stderr, "kw: %s\n", line.c_str()); });
  global.status->ask_for_news({});
  if (!built && signals.is_interrupted()) return report_error(global, built.error(), kInterrupted);
  const session::ShapeBuilds& builds = KW_TRY(built);
  const std::string& task = workbench.definition().task.name;
  if (global.json)
    std::printf("%s\n",
                dump_json(session::shape_builds_json(builds, task, named.aim.target)).c_str());
  else
    std::printf("%s", session::shape_builds_words(builds).c_str());
  return builds.result.is_kept() ? kDone : kNotGood;
}

}  // namespace

Command specialise_command() {
  auto flags = std::make_shared<SpecialiseFlags>();
  Command command;
  command.name = "specialise";
  command.summary = "Choose knobs for each timed shape and put them into one kernel";
  command.declare = [flags](Flags& f) {
    f.positional("kernel", flags->kernel,
                 "Source file of a kernel, or a run whose best kernel is taken");
    f.text("--task", flags->task, "Task that a source file computes");
    flags->target.declare(f, true);
    f.texts("--set", flags->settings, "Knob value K=V for all other shapes; repeatable");
    f.text("--baseline", flags->baseline, "Baseline to confirm against; default: the fastest");
    f.integer("--points", flags->points, "Settings of the knobs to try for each shape", {1, 1000});
  };
  command.run = [flags](const Global& global) {
    return end_command(global, specialise(global, *flags));
  };
  return command;
}

}  // namespace kw::cli
