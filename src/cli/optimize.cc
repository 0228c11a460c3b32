// kw optimize TASK, kw resume RUN: a search from the first baseline to the confirmed winner.
// SPDX-License-Identifier: Apache-2.0
#include <poll.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <thread>

#include "base/contains.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/text.h"
#include "cli/bundle.h"
#include "cli/commands.h"
#include "cli/live_view.h"
#include "cli/run_view.h"
#include "cli/session.h"
#include "cli/synthetic_bench.h"
#include "cli/writing.h"
#include "engine/run.h"
#include "memory/playbook_graph.h"
#include "propose/examples.h"
#include "search/budget.h"
#include "search/reward.h"

namespace kw::cli {
namespace {

/// Without --attempts and --time: long enough for the shipped tasks, short enough to wait for.
constexpr std::int64_t kDefaultTimeNs = 90'000'000'000;
/// The same where a model writes, which takes a minute a kernel.
constexpr std::int64_t kDefaultWritingTimeNs = 900'000'000'000;

/// Attempts of a run with a model that go to the task's expert kernels and the knobs of the
/// fastest, before the first word: at most so many, and at most a quarter of all.
constexpr std::int64_t kMostStartAttempts = 27;
constexpr std::int64_t kStartShare = 4;
constexpr std::int64_t kMostRounds = 10'000;

constexpr const char* kBundle = "bundle";
/// Asks in flight where each round is a trip to another machine.
constexpr int kBundleAsks = 8;

struct OptimizeFlags {
  std::string task;
  TargetFlags target;
  std::string strategy;
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
  std::string carrier = "pipe";
  std::string results;
  bool no_memory = false;
  bool profile = false;
  bool from_scratch = false;
  std::string preset;
  std::string judge;
  std::string guide;
  bool freeze_graph = false;
  std::int64_t rounds = 0;
  WritingFlags writing;
  std::string run;  ///< Of resume.
};

/// "auto, exhaustive, halving, climb": the names of strategies or tuners.
template <class Info>
std::string names_of(std::span<const Info> all) {
  std::vector<std::string> names;
  for (const Info& info : all) names.emplace_back(info.name);
  return join(names, ", ");
}

/// The strategy asked for; where none is, one that uses the models there are.
Result<const search::StrategyInfo*> strategy_of(const OptimizeFlags& flags) {
  const bool has_writer = KW_TRY(flags.writing.has_writer());
  std::string name = flags.strategy;
  if (name.empty()) name = has_writer ? "refine" : "greedy";
  const auto* strategy = KW_TRY(search::find_strategy(name));
  if (!has_writer && !flags.writing.models.models.empty())
    return fail("a model in a role writes no kernels: give --model without one, too");
  if (strategy->is_writing && !has_writer)
    return fail("strategy '" + name + "' needs somebody who writes kernels: give --model");
  if (!strategy->is_writing && has_writer)
    return fail("--model means nothing to strategy '" + name + "', which asks no model");
  return strategy;
}

/// What the strategy tunes with; a tuner that would not be used is not accepted.
Result<std::string> tuner_of(const OptimizeFlags& flags, const search::StrategyInfo& strategy) {
  if (flags.tuner.empty()) return RunConfig().tuner;
  if (!strategy.is_tuning)
    return fail("--tuner means nothing to strategy '" + std::string(strategy.name) +
                "', which tunes nothing");
  return std::string(KW_TRY(search::find_tuner(flags.tuner))->name);
}

int start_attempts_of(const OptimizeFlags& flags) {
  if (flags.from_scratch) return 0;
  const std::int64_t share =
      flags.attempts == 0 ? kMostStartAttempts : flags.attempts / kStartShare;
  return static_cast<int>(std::min(kMostStartAttempts, share));
}

/// A run without any bound gets one of time.
void set_default_limits(RunConfig& config, bool is_writing) {
  const SpendLimits& spend = config.limits;
  if (config.max_attempts != 0 || config.max_time_ns != 0) return;
  if (spend.usd || spend.tokens || spend.calls) return;
  config.max_time_ns = is_writing ? kDefaultWritingTimeNs : kDefaultTimeNs;
}

/// Of strategies that have presets or rounds; of others they are not accepted.
Result<> set_method(const OptimizeFlags& flags, const search::StrategyInfo& strategy,
                    RunConfig& config) {
  const std::string name(strategy.name);
  if (!flags.preset.empty() && !strategy.has_presets)
    return fail("--preset means nothing to strategy '" + name + "', which has none");
  if (!flags.preset.empty() && flags.preset != "sketch" && flags.preset != "paper")
    return fail("--preset is sketch or paper, not '" + flags.preset + "'");
  if (flags.rounds != 0 && !strategy.has_rounds)
    return fail("--rounds means nothing to strategy '" + name + "'");
  if (flags.rounds < 0 || flags.rounds > kMostRounds)
    return fail(fmt::format("--rounds is a number from 1 to {}", kMostRounds));
  if (!flags.judge.empty() && !contains(strategy.roles, std::string_view("judge")))
    return fail("--judge means nothing to strategy '" + name + "', which has no judge of its own");
  if (flags.judge == "learned") return fail("--judge learned is not there yet: rules, or a model");
  config.judges_by_rules = flags.judge == "rules";
  if (!flags.judge.empty() && flags.judge != "rules")
    config.models.push_back("judge=" + flags.judge);
  if (!flags.guide.empty() && strategy.name != "graph-walk")
    return fail("--guide means nothing to strategy '" + name + "'");
  if (!flags.guide.empty() &&
      !contains(std::array<std::string_view, 3>{"random", "llm", "weights"}, flags.guide))
    return fail("--guide is random, llm or weights, not '" + flags.guide + "'");
  if (flags.freeze_graph && !strategy.has_graph)
    return fail("--freeze-graph means nothing to strategy '" + name + "', which walks no graph");
  config.guide = flags.guide;
  config.freezes_graph = flags.freeze_graph;
  config.preset = flags.preset;
  if (flags.rounds > 0) config.rounds = static_cast<int>(flags.rounds);
  return {};
}

/// All but the task, and the goals of the task where the flags name none.
Result<RunConfig> config_of(const OptimizeFlags& flags) {
  RunConfig config;
  config.task_path = flags.task;
  const Aim aim = KW_TRY(flags.target.aim());
  config.target = aim.target;
  config.arch = aim.arch;
  const search::StrategyInfo* strategy = KW_TRY(strategy_of(flags));
  config.strategy = strategy->name;
  config.tuner = KW_TRY(tuner_of(flags, *strategy));
  KW_TRY(flags.writing.into(config));
  KW_TRY(set_method(flags, *strategy, config));
  config.reward_policy = KW_TRY(search::find_reward_policy(flags.reward))->name;
  config.baseline = flags.baseline;
  if (flags.attempts < 0) return fail("--attempts cannot be negative");
  if (flags.patience < 0) return fail("--patience cannot be negative");
  if (flags.outstanding < 1) return fail("--outstanding is at least 1");
  config.max_attempts = flags.attempts;
  if (flags.from_scratch && !strategy->is_writing)
    return fail("--from-scratch is for a model: give --model");
  if (strategy->is_writing) config.start_attempts = start_attempts_of(flags);
  config.patience = flags.patience;
  if (!flags.time.empty()) config.max_time_ns = KW_TRY(search::parse_duration(flags.time));
  set_default_limits(config, strategy->is_writing);
  for (const std::string& goal : flags.goals)
    config.goals = KW_TRY(search::parse_goal(goal, config.goals));
  config.seed = static_cast<std::uint64_t>(flags.seed);
  config.outstanding = static_cast<int>(flags.outstanding);
  if (flags.carrier != "pipe" && flags.carrier != kBundle)
    return fail("--carrier is pipe or bundle, not '" + flags.carrier + "'");
  config.carrier = flags.carrier;
  if (flags.profile && aim.target != Target::Cuda) return fail("--profile is for --target cuda");
  config.profiles = flags.profile;
  if (config.carrier == kBundle && config.outstanding == 1) config.outstanding = kBundleAsks;
  // A GPU measures one while the host builds the next; what a model writes waits for what it
  // learns.
  const bool overlaps = aim.target == Target::Cuda && !strategy->is_writing;
  if (config.carrier == "pipe" && overlaps && config.outstanding == 1) config.outstanding = 2;
  return config;
}

/// Everything a run needs, real or synthetic.
struct Setting {
  std::unique_ptr<engine::Workbench> workbench;
  std::unique_ptr<evaluate::Carrier> synthetic;
  std::unique_ptr<Bench> bench;
  std::unique_ptr<evaluate::BundleCarrier> bundle;  ///< Where the judge is elsewhere.
  std::vector<GpuFacts> gpu;                        ///< cuda: the limits that plans keep to.
  const engine::TaskWorkbench* real = nullptr;      ///< `workbench`, where it is no landscape.
  std::vector<propose::Example> examples;           ///< For a model.
  TechniqueGraph graph;                             ///< That the playbook shows.
  Goals goals;
  std::string task;
  std::string task_sha256;
  std::vector<std::string> notices;

  evaluate::Carrier& carrier() const {
    if (bundle) return *bundle;
    return bench ? bench->carrier() : *synthetic;
  }
  DeviceFacts facts() const {
    if (bundle) return bundle->facts();
    if (bench) return bench->facts();
    DeviceFacts facts;
    facts.id = "synthetic";
    facts.model = "synthetic landscape";
    return facts;
  }
};

/// Opens whoever judges; the facts by whose limits the task is resolved. Those of a machine
/// elsewhere stay the arch's, so that what its results tell of it changes no decision.
Result<DeviceFacts> open_judge(const Global& global, const RunConfig& config,
                               store::RunStore& store, Setting& setting) {
  const Aim aim{config.target, config.arch};
  if (config.carrier != kBundle) {
    setting.bench = KW_TRY(Bench::open(global, &store, aim));
    return setting.bench->facts();
  }
  setting.bench = KW_TRY(Bench::open_compilers(global, aim));
  setting.bundle =
      KW_TRY(open_bundle(setting.bench->compiler(), store, setting.task,
                         KW_TRY(bundle_facts(store, aim)), setting.bench->disassembler()));
  return facts_elsewhere(aim);
}

Result<Setting> open_setting(const Global& global, const RunConfig& config,
                             store::RunStore& store) {
  Setting setting;
  if (auto landscape = synthetic_bench(config.task_path)) {
    auto parts = KW_TRY(std::move(*landscape));
    setting.task = "synthetic";
    setting.workbench = std::move(parts.workbench);
    setting.synthetic = std::move(parts.carrier);
    return setting;
  }
  const auto data = KW_TRY(open_data(global));
  auto definition = KW_TRY(open_accepted_task(global, data, config.task_path));
  setting.task = definition.task.name;
  setting.task_sha256 = definition.task.sha256;
  setting.goals = definition.task.goals;
  const Aim aim{config.target, config.arch};
  const DeviceFacts facts = KW_TRY(open_judge(global, config, store, setting));
  const auto options = KW_TRY(workbench_options(global, aim, facts));
  setting.gpu = options.gpu;
  auto workbench = KW_TRY(engine::TaskWorkbench::create(
      std::move(definition), data.under("playbook/" + setting.task), options));
  setting.notices = workbench.notices();
  setting.graph = memory::playbook_graph(data, config.target);
  setting.examples = KW_TRY(
      propose::select_examples(data, workbench.definition().task, {.target = config.target}));
  auto real = std::make_unique<engine::TaskWorkbench>(std::move(workbench));
  setting.real = real.get();
  setting.workbench = std::move(real);
  if (!setting.bundle) KW_TRY(setting.bench->ensure_ceilings());
  return setting;
}

/// Cancels what a model is asked as soon as a person interrupts.
class Canceller {
 public:
  explicit Canceller(const platform::SignalGuard& signals)
      : thread_([this, fd = signals.fd()](const std::stop_token& end) {
          constexpr int kLookMs = 100;
          pollfd watched{fd, POLLIN, 0};
          while (!end.stop_requested())
            if (::poll(&watched, 1, kLookMs) > 0) {
              source_.request_stop();
              return;
            }
        }) {}
  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::jthread thread_;
};

/// The models of a run whose strategy has sources written; null for others.
Result<std::unique_ptr<RunModels>> open_models(const Global& global, RunConfig& config,
                                               store::RunStore& store, LiveView& view,
                                               const Canceller& canceller) {
  if (!KW_TRY(search::find_strategy(config.strategy))->is_writing)
    return std::unique_ptr<RunModels>();
  if (synthetic_bench(config.task_path))
    return fail("a landscape is searched without a model", config.task_path);
  WritingView shown;
  shown.on_delta = [&view](const llm::Delta& delta) { view.on_delta(delta); };
  shown.on_notice = [&view](const std::string& text) { view.on_notice(text); };
  return RunModels::open(KW_TRY(open_data(global)), config, store, std::move(shown),
                         canceller.token());
}

/// Where the run ends: its folder, and what is printed.
Result<int> report_run(const Global& global, const OptimizeFlags& flags, store::RunStore& store,
                       const report::RunData& data) {
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

/// The run as stored, or as the flags ask for it; wrong flags are told before anything is built.
struct Wanted {
  std::optional<RunSummary> stored;
  RunConfig config;
};

Result<Wanted> wanted_of(const OptimizeFlags& flags, const store::RunStore& store) {
  Wanted wanted;
  if (flags.run.empty()) {
    wanted.config = KW_TRY(config_of(flags));
  } else {
    wanted.stored = KW_TRY(store.find(flags.run));
    wanted.config = wanted.stored->config;
  }
  return wanted;
}

/// The limits of another device would allow other knobs, and the run's decisions could not follow.
Result<> fit_to_device(const Wanted& wanted, const Setting& setting) {
  const std::vector<GpuFacts>& gpu = wanted.config.gpu;
  if (gpu.empty() || has_same_limits(gpu.front(), setting.gpu.front())) return {};
  return fail("the run began on another kind of GPU than this " + setting.facts().model,
              wanted.stored->name);
}

Result<> fit_to_setting(Wanted& wanted, const OptimizeFlags& flags, const Setting& setting) {
  if (wanted.stored && wanted.config.task_sha256 != setting.task_sha256)
    return fail("the task has changed since this run began; start a new one", wanted.stored->name);
  if (wanted.stored) return fit_to_device(wanted, setting);
  RunConfig& config = wanted.config;
  if (flags.goals.empty()) config.goals = setting.goals;
  config.task = setting.task;
  config.task_sha256 = setting.task_sha256;
  if (!setting.bench) config.carrier = "synthetic";
  if (config.target == Target::Cuda) {
    config.gpu = setting.gpu;
    config.arch = config.gpu.front().arch;
  }
  config.uses_memory = setting.real != nullptr && !flags.no_memory;
  return {};
}

engine::Writing writing_of(RunModels& models, const Setting& setting) {
  engine::Writing writing = models.writing();
  writing.task = &setting.real->definition();
  writing.device = setting.facts();
  writing.examples = setting.examples;
  writing.graph = setting.graph;
  return writing;
}

engine::Learning learning_of(const Setting& setting) {
  if (setting.real == nullptr) return {};
  const DeviceFacts facts = setting.facts();
  return {&setting.real->definition(), facts.target, facts.id};
}

Result<int> optimize(const Global& global, const OptimizeFlags& flags) {
  auto store = KW_TRY(store::RunStore::open(global.workspace));
  if (!flags.results.empty()) {
    const std::size_t news = KW_TRY(take_results(store, flags.results));
    std::fprintf(stderr, "kw: %zu new result%s of %s\n", news, news == 1 ? "" : "s",
                 flags.results.c_str());
  }
  Wanted wanted = KW_TRY(wanted_of(flags, store));
  const platform::SignalGuard signals;
  const Canceller canceller(signals);
  LiveView view(global.json);
  if (!store.notice().empty()) view.on_notice(store.notice());
  const auto models = KW_TRY(open_models(global, wanted.config, store, view, canceller));
  const Setting setting = KW_TRY(open_setting(global, wanted.config, store));
  KW_TRY(fit_to_setting(wanted, flags, setting));
  for (const std::string& notice : setting.notices) view.on_notice(notice);
  const engine::Writing writing = models ? writing_of(*models, setting) : engine::Writing();
  const engine::Learning learning = learning_of(setting);
  const engine::Surroundings surroundings{*setting.workbench,
                                          setting.carrier(),
                                          store,
                                          platform::real_clock(),
                                          view,
                                          [&] { return signals.is_interrupted(); },
                                          Seed::from_os().low,
                                          setting.bench ? setting.bench->judge_id() : "synthetic",
                                          models ? &writing : nullptr,
                                          setting.real != nullptr ? &learning : nullptr};
  auto searched = wanted.stored ? engine::resume(surroundings, *wanted.stored)
                                : engine::run(surroundings, wanted.config);
  view.end();
  if (!searched && signals.is_interrupted())
    return report_error(global, searched.error(), kInterrupted);
  return report_run(global, flags, store, run_data(KW_TRY(std::move(searched)), setting.facts()));
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
    flags->target.declare(f, true);
    f.text("--strategy", flags->strategy,
           "One of " + names_of(search::strategies()) + "; default greedy, with a model refine");
    f.text("--tuner", flags->tuner,
           "How knobs are searched: one of " + names_of(search::tuners()) + "; default auto");
    f.text("--reward", flags->reward,
           "An outcome as a number: one of " + names_of(search::reward_policies()));
    f.text("--preset", flags->preset,
           "sketch or paper, of strategies that exist in both forms (docs/strategies.md)");
    f.text("--judge", flags->judge,
           "Of coder-judge: rules, or a model as --model names it; default: whoever writes");
    f.text("--guide", flags->guide,
           "Of graph-walk: random, llm (a model chooses each step) or weights");
    f.on_off("--freeze-graph", flags->freeze_graph,
             "Of graph-walk and graph-search: leave the workspace's graph of techniques as it is");
    f.integer("--rounds", flags->rounds, "Of strategies that end by themselves; default 10");
    f.text("--baseline", flags->baseline, "What to beat, by name; default: the fastest");
    f.integer("--attempts", flags->attempts, "Most attempts; 0: no limit");
    f.text("--time", flags->time,
           "Most time, e.g. 120s or 5m; where nothing bounds a run 90s, with a model 15m");
    f.integer("--patience", flags->patience,
              "Stop after so many attempts without a new best; 0: never");
    f.texts("--goal", flags->goals, "Stop when reached: 2.5ms, 8x or 0.9roof; repeatable");
    f.integer("--seed", flags->seed, "Of the strategy only");
    f.integer("--outstanding", flags->outstanding, "Asks in flight");
    f.text("--save-attempts", flags->save_attempts,
           "Keep every source here as NNN_name.cpp or .cu");
    f.text("--carrier", flags->carrier,
           "pipe: judged here; bundle: what waits for a judge is written to runs/TASK.bundle");
    f.text("--results", flags->results, "What kw-worker --bundle made of the last bundle");
    f.on_off("--profile", flags->profile,
             "cuda: profile every new best, for whoever writes the next kernel");
    f.on_off("--no-memory", flags->no_memory,
             "Begin without lessons of earlier runs, and leave none");
    f.on_off("--from-scratch", flags->from_scratch,
             "With a model: write a first kernel instead of starting from the task's own");
    flags->writing.declare(f);
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
    f.text("--results", flags->results, "Of a run with --carrier bundle: what came back");
    f.text("--save-attempts", flags->save_attempts,
           "Keep every source here as NNN_name.cpp or .cu");
  };
  command.run = [flags](const Global& global) { return run(global, *flags); };
  return command;
}

}  // namespace kw::cli
