// kw optimize TASK, kw resume RUN: a search from the first baseline to the confirmed winner.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "base/json.h"
#include "base/rng.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/live_view.h"
#include "cli/run_view.h"
#include "cli/session.h"
#include "cli/synthetic_bench.h"
#include "engine/run.h"
#include "search/budget.h"
#include "search/reward.h"

namespace kw::cli {
namespace {

/// Without --attempts and --time: long enough for the shipped tasks, short enough to wait for.
constexpr std::int64_t kDefaultTimeNs = 90'000'000'000;

struct OptimizeFlags {
  std::string task;
  std::string target = "cpu";
  std::string strategy = "greedy";
  std::string tuner;
  std::string reward = "speedup";
  std::string baseline;
  std::int64_t attempts = 0;
  std::int64_t patience = 0;
  std::string time;
  std::vector<std::string> goals;
  std::int64_t seed = 1;
  std::int64_t outstanding = 1;
  std::string save_attempts;
  std::string run;  ///< Of resume.
};

/// "auto, exhaustive, halving, climb": the names of strategies or tuners.
template <class Info>
std::string names_of(std::span<const Info> all) {
  std::vector<std::string> names;
  for (const Info& info : all) names.emplace_back(info.name);
  return join(names, ", ");
}

/// What the strategy tunes with; a tuner that would not be used is not accepted.
Result<std::string> tuner_of(const OptimizeFlags& flags) {
  const auto* strategy = KW_TRY(search::find_strategy(flags.strategy));
  if (flags.tuner.empty()) return RunConfig().tuner;
  if (!strategy->is_tuning)
    return fail("--tuner means nothing to strategy '" + flags.strategy + "', which tunes nothing");
  return std::string(KW_TRY(search::find_tuner(flags.tuner))->name);
}

Result<RunConfig> config_of(const OptimizeFlags& flags, const Goals& task_goals) {
  RunConfig config;
  config.task_path = flags.task;
  config.target = KW_TRY(target_of(flags.target));
  config.strategy = flags.strategy;
  config.tuner = KW_TRY(tuner_of(flags));
  config.reward_policy = KW_TRY(search::find_reward_policy(flags.reward))->name;
  config.baseline = flags.baseline;
  if (flags.attempts < 0) return fail("--attempts cannot be negative");
  if (flags.patience < 0) return fail("--patience cannot be negative");
  if (flags.outstanding < 1) return fail("--outstanding is at least 1");
  config.max_attempts = flags.attempts;
  config.patience = flags.patience;
  if (!flags.time.empty()) config.max_time_ns = KW_TRY(search::parse_duration(flags.time));
  if (config.max_attempts == 0 && config.max_time_ns == 0) config.max_time_ns = kDefaultTimeNs;
  config.goals = flags.goals.empty() ? task_goals : Goals{};
  for (const std::string& goal : flags.goals)
    config.goals = KW_TRY(search::parse_goal(goal, config.goals));
  config.seed = static_cast<std::uint64_t>(flags.seed);
  config.outstanding = static_cast<int>(flags.outstanding);
  return config;
}

/// Everything a run needs, real or synthetic.
struct Stage {
  std::unique_ptr<engine::Workbench> workbench;
  std::unique_ptr<evaluate::Carrier> synthetic;
  std::unique_ptr<Bench> bench;
  Goals goals;
  std::string task;
  std::string task_sha256;
  std::vector<std::string> notices;

  evaluate::Carrier& carrier() const { return bench ? bench->carrier() : *synthetic; }
  DeviceFacts facts() const {
    if (bench) return bench->facts();
    DeviceFacts facts;
    facts.id = "synthetic";
    facts.model = "synthetic landscape";
    return facts;
  }
};

Result<Stage> open_stage(const Global& global, const std::string& task_name,
                         store::RunStore& store) {
  Stage stage;
  if (auto landscape = synthetic_bench(task_name)) {
    auto parts = KW_TRY(std::move(*landscape));
    stage.task = "synthetic";
    stage.workbench = std::move(parts.workbench);
    stage.synthetic = std::move(parts.carrier);
    return stage;
  }
  const auto data = KW_TRY(open_data(global));
  auto definition = KW_TRY(open_task(data, task_name));
  stage.task = definition.task.name;
  stage.task_sha256 = definition.task.sha256;
  stage.goals = definition.task.goals;
  auto workbench = KW_TRY(engine::TaskWorkbench::create(std::move(definition),
                                                        data.under("playbook/" + stage.task),
                                                        KW_TRY(workbench_options(global))));
  stage.notices = workbench.notices();
  stage.workbench = std::make_unique<engine::TaskWorkbench>(std::move(workbench));
  stage.bench = KW_TRY(Bench::open(global, &store));
  KW_TRY(stage.bench->ensure_ceilings());
  return stage;
}

Result<engine::RunReport> search_to_end(const OptimizeFlags& flags, const engine::Surroundings& s,
                                        const Stage& stage, const RunSummary* stored) {
  if (stored != nullptr) return engine::resume(s, *stored);
  RunConfig config = KW_TRY(config_of(flags, stage.goals));
  config.task = stage.task;
  config.task_sha256 = stage.task_sha256;
  config.carrier = stage.bench ? "pipe" : "synthetic";
  return engine::run(s, config);
}

Result<int> optimize(const Global& global, OptimizeFlags flags) {
  auto store = KW_TRY(store::RunStore::open(global.workspace));
  std::optional<RunSummary> stored;
  if (!flags.run.empty()) {
    stored = KW_TRY(store.find(flags.run));
    flags.task = stored->config.task_path;
  } else {
    // Wrong flags are told before anything is built or measured.
    KW_TRY(config_of(flags, {}));
  }
  const platform::SignalGuard signals;
  LiveView view(global.json);
  if (!store.notice().empty()) view.on_notice(store.notice());
  Stage stage = KW_TRY(open_stage(global, flags.task, store));
  if (stored && stored->config.task_sha256 != stage.task_sha256)
    return fail("the task has changed since this run began; start a new one", stored->name);
  for (const std::string& notice : stage.notices) view.on_notice(notice);
  const engine::Surroundings surroundings{*stage.workbench,
                                          stage.carrier(),
                                          store,
                                          platform::real_clock(),
                                          view,
                                          [&] { return signals.is_interrupted(); },
                                          Seed::from_os().low,
                                          stage.bench ? stage.bench->judge_id() : "synthetic"};
  auto searched = search_to_end(flags, surroundings, stage, stored ? &*stored : nullptr);
  view.end();
  if (!searched && signals.is_interrupted()) return static_cast<int>(kInterrupted);
  auto report = KW_TRY(std::move(searched));
  const report::RunData data = run_data(std::move(report), stage.facts());
  report::Digest digest;
  KW_TRY(store.for_each_line(data.run.id, [&](const AttemptLine& line) { digest.add(line); }));
  KW_TRY(report::write_run_folder(store, data, digest));
  KW_TRY(store.update(data.run));
  if (!flags.save_attempts.empty())
    KW_TRY(report::save_attempts(flags.save_attempts, store, data.run.id));
  const platform::Path folder = store.folder_of(data.run);
  if (global.json)
    std::printf("%s\n", optimized_json(data, folder).c_str());
  else
    std::printf("%s%s\n", report::summary_table(data, digest).c_str(),
                where_to_look(data, folder).c_str());
  if (data.run.state == RunState::Interrupted) return static_cast<int>(kInterrupted);
  return static_cast<int>(data.is_win() ? kDone : kNotGood);
}

int run(const Global& global, const OptimizeFlags& flags) {
  const auto code = optimize(global, flags);
  return code ? *code : report_error(global, code.error(), code_of(code.error()));
}

}  // namespace

Command optimize_command() {
  auto flags = std::make_shared<OptimizeFlags>();
  Command command;
  command.name = "optimize";
  command.summary = "Search for the fastest kernel of a task and confirm it";
  command.declare = [flags](Flags& f) {
    f.positional("task", flags->task, "Task folder, name of a shipped task, or synthetic:SEED");
    f.text("--target", flags->target, "cpu");
    f.text("--strategy", flags->strategy, "One of " + names_of(search::strategies()));
    f.text("--tuner", flags->tuner,
           "How knobs are searched: one of " + names_of(search::tuners()) + "; default auto");
    f.text("--reward", flags->reward,
           "An outcome as a number: one of " + names_of(search::reward_policies()));
    f.text("--baseline", flags->baseline, "What to beat, by name; default: the fastest");
    f.integer("--attempts", flags->attempts, "Most attempts; 0: no limit");
    f.text("--time", flags->time,
           "Most time, e.g. 120s or 5m; default 90s where --attempts is not given");
    f.integer("--patience", flags->patience,
              "Stop after so many attempts without a new best; 0: never");
    f.texts("--goal", flags->goals, "Stop when reached: 2.5ms, 8x or 0.9roof; repeatable");
    f.integer("--seed", flags->seed, "Of the strategy only");
    f.integer("--outstanding", flags->outstanding, "Asks in flight");
    f.text("--save-attempts", flags->save_attempts, "Keep every source here as NNN_name.cpp");
  };
  command.run = [flags](const Global& global) { return run(global, *flags); };
  return command;
}

Command resume_command() {
  auto flags = std::make_shared<OptimizeFlags>();
  Command command;
  command.name = "resume";
  command.summary = "Go on with a run that was interrupted or killed";
  command.declare = [flags](Flags& f) {
    f.positional("run", flags->run, "Name as in kw runs");
    f.text("--save-attempts", flags->save_attempts, "Keep every source here as NNN_name.cpp");
  };
  command.run = [flags](const Global& global) { return run(global, *flags); };
  return command;
}

}  // namespace kw::cli
