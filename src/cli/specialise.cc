// kw specialise FILE|RUN: knobs and constants for each timed shape, in one kernel.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/rng.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/given_kernel.h"
#include "cli/session.h"
#include "cli/verdict_view.h"
#include "engine/specialise.h"
#include "record/codec.h"

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

/// What the positional names.
struct Named {
  std::optional<RunSummary> run;  ///< None: a file.
  std::string task;
  Aim aim;
};

Result<Named> named_by(const SpecialiseFlags& flags, const store::RunStore& store) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(flags.kernel, ignored)) {
    if (flags.task.empty()) return as_input(Result<Named>(fail("a file needs --task")));
    return Named{{}, flags.task, KW_TRY(flags.target.aim(flags.kernel))};
  }
  const RunSummary run = KW_TRY(as_input(store.find(flags.kernel)));
  if (!flags.task.empty() || !flags.target.target.empty())
    return as_input(Result<Named>(fail("a run knows its task and target", "--task, --target")));
  return Named{run, run.config.task_path, {run.config.target, run.config.arch}};
}

Result<Candidate> kernel_of(const SpecialiseFlags& flags, const Named& named,
                            const store::RunStore& store, const task::Definition& definition) {
  if (!named.run) return kernel_in_file(flags.kernel, named.aim.target, definition, flags.settings);
  Candidate kernel = KW_TRY(best_of_run(store, *named.run, named.aim.target, definition));
  KW_TRY(set_knobs(kernel, flags.settings));
  return kernel;
}

std::string interval_of(const Speedup& s) {
  return fmt::format("{:.3f}x [{:.3f}, {:.3f}]", s.value, s.low, s.high);
}

std::string words_of(const engine::ShapeChoice& shape) {
  std::string tried = fmt::format("{} point{}", shape.tried, shape.tried == 1 ? "" : "s");
  if (shape.failed > 0)
    tried += fmt::format(", {} of which failed: {}", shape.failed,
                         engine::failure_words(shape.first_failure));
  if (!shape.confirmation) return fmt::format("{}: nothing faster among {}", shape.workload, tried);
  const Evaluation& seen = *shape.confirmation;
  if (!shape.arm)
    return fmt::format(
        "{}: not confirmed: {}; the fastest of {}", shape.workload,
        seen.verdict.is_correct() ? interval_of(seen.speedup) : engine::failure_words(seen.verdict),
        tried);
  const std::string knobs = knobs_text(shape.arm->knobs);
  return fmt::format("{}: {} of itself with {}, the fastest of {}", shape.workload,
                     interval_of(seen.speedup), knobs.empty() ? "its sizes as constants" : knobs,
                     tried);
}

Json json_of(const engine::Specialised& result, const std::string& task, Target target,
             const std::string& path) {
  Json shapes = Json::array();
  for (const engine::ShapeChoice& shape : result.shapes) {
    Json one{{"workload", shape.workload}, {"tried", shape.tried}, {"failed", shape.failed}};
    if (shape.failed > 0) one["first_failure"] = engine::failure_words(shape.first_failure);
    if (shape.arm) one["sizes"] = shape.arm->sizes, one["knobs"] = shape.arm->knobs;
    if (shape.confirmation) one["over_itself"] = evaluation_json(*shape.confirmation);
    shapes.push_back(std::move(one));
  }
  Json told{{"task", task},
            {"target", name_of(target)},
            {"mode", "specialised"},
            {"confirmed", result.is_kept()},
            {"shapes", std::move(shapes)}};
  if (result.over_baseline) told["over_baseline"] = evaluation_json(*result.over_baseline);
  if (!path.empty()) told["path"] = path;
  return told;
}

/// runs/specialised/<task>-<n> with the kernel and its certificate, n the first number free; the
/// kernel's path.
Result<std::string> write_down(const store::RunStore& store, const engine::Specialised& result,
                               const std::string& task, Target target) {
  platform::Path folder;
  std::error_code ignored;
  for (int n = 1; folder.empty() || std::filesystem::exists(folder, ignored); ++n)
    folder = store.root() / "specialised" / fmt::format("{}-{}", task, n);
  KW_TRY(platform::make_dirs(folder));
  const platform::Path kernel = folder / (task + std::string(source_suffix(target)));
  KW_TRY(platform::write_file_atomic(kernel, result.kernel->source, false));
  const std::string certificate = dump_json(json_of(result, task, target, kernel.string())) + "\n";
  KW_TRY(platform::write_file_atomic(folder / "certificate.json", certificate, false));
  return kernel.string();
}

void print_result(const engine::Specialised& result, const std::string& path) {
  if (!result.over_baseline)
    return void(std::printf("No shape gained anything for certain; the kernel stays as it is.\n"));
  const Evaluation& whole = *result.over_baseline;
  if (!result.is_kept())
    return void(std::printf("Not confirmed as a whole: %s\n",
                            engine::failure_words(whole.verdict).c_str()));
  std::printf("Specialised: %s of %s\n%s\n", interval_of(whole.speedup).c_str(),
              whole.opponent_words().c_str(), path.c_str());
}

Result<int> specialise(const Global& global, const SpecialiseFlags& flags) {
  if (flags.points < 1 || flags.points > 1000)
    return as_input(Result<int>(fail("--points is 1 to 1000")));
  auto store = KW_TRY(store::RunStore::open(global.workspace));
  const Named named = KW_TRY(named_by(flags, store));
  const auto data = KW_TRY(open_data(global));
  auto definition = KW_TRY(open_accepted_task(global, data, named.task));
  const Candidate kernel = KW_TRY(kernel_of(flags, named, store, definition));
  const auto bench = KW_TRY(Bench::open(global, &store, named.aim));
  const auto workbench = KW_TRY(engine::TaskWorkbench::create(
      std::move(definition), {}, KW_TRY(workbench_options(global, named.aim, bench->facts()))));
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
  const auto result =
      engine::specialise(surroundings, workbench, kernel,
                         {.points = static_cast<int>(flags.points), .baseline = flags.baseline},
                         [](const engine::ShapeChoice& shape) {
                           std::fprintf(stderr, "kw: %s\n", words_of(shape).c_str());
                         });
  if (!result && signals.is_interrupted())
    return report_error(global, result.error(), kInterrupted);
  const engine::Specialised& done = KW_TRY(result);
  std::string path;
  const std::string& task = workbench.definition().task.name;
  if (done.is_kept()) path = KW_TRY(write_down(store, done, task, named.aim.target));
  if (global.json)
    std::printf("%s\n", dump_json(json_of(done, task, named.aim.target, path)).c_str());
  else
    print_result(done, path);
  return done.is_kept() ? kDone : kNotGood;
}

}  // namespace

Command specialise_command() {
  auto flags = std::make_shared<SpecialiseFlags>();
  Command command;
  command.name = "specialise";
  command.summary = "Choose knobs for each timed shape and put them into one kernel";
  command.declare = [flags](Flags& f) {
    f.positional("kernel", flags->kernel, "Source, or a run whose best is taken");
    f.text("--task", flags->task, "Task of a source");
    flags->target.declare(f, true);
    f.texts("--set", flags->settings, "Knob value K=V for all other shapes; repeatable");
    f.text("--baseline", flags->baseline, "Opponent of the certificate; default: the fastest");
    f.integer("--points", flags->points, "Points of the knobs to try at each shape");
  };
  command.run = [flags](const Global& global) {
    return end_command(global, specialise(global, *flags));
  };
  return command;
}

}  // namespace kw::cli
