// Reads the flags of kw optimize, and checks which of them may be combined.
// SPDX-License-Identifier: Apache-2.0
#include "cli/optimize_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "base/contains.h"
#include "base/text.h"
#include "cli/idle_flags.h"
#include "llm/spec.h"
#include "record/target.h"
#include "search/budget.h"
#include "search/reward.h"
#include "search/strategy.h"
#include "session/optimize.h"
#include "session/roles.h"
#include "task/suite.h"

namespace kw::cli {
namespace {

/// The time limit in nanoseconds of a run that has no bound and no writing model: 90 s are enough
/// for the shipped tasks, and short enough to wait for.
constexpr std::int64_t kDefaultTimeNs = 90'000'000'000;
/// The time limit in nanoseconds of a run that has no bound and in which a model writes the
/// kernels, at about a minute for each.
constexpr std::int64_t kDefaultWritingTimeNs = 900'000'000'000;

/// Before a model writes, its run tries the task's expert kernels and tunes the fastest. These
/// attempts are at most kMostStartAttempts, and at most 1/kStartShare of all attempts.
constexpr std::int64_t kMostStartAttempts = 27;
constexpr std::int64_t kStartShare = 4;
constexpr std::int64_t kMostOutstanding = 10'000;

/// Default number of evaluations in flight with --carrier bundle, where a person carries each round
/// of evaluations to another machine.
constexpr int kBundleAsks = 8;

/// The names of all strategies or all tuners, for help: "auto, exhaustive, halving, climb".
template <class Info>
std::string names_of(std::span<const Info> all) {
  std::vector<std::string> names;
  for (const Info& info : all) names.emplace_back(info.name);
  return join(names, ", ");
}

/// The strategy that the flags name; without a name refine if a model writes kernels, else greedy.
Result<const search::StrategyInfo*> strategy_of(const OptimizeFlags& flags) {
  const bool has_writer = KW_TRY(flags.writing.has_writer());
  std::string name = flags.strategy;
  if (name.empty()) name = has_writer ? "refine" : "greedy";
  const auto* strategy = KW_TRY(search::find_strategy(name));
  if (!has_writer && !flags.writing.models.models.empty())
    return fail_input(
        ErrorCode::Missing, About{"--model without a role"},
        "a model with a role (--model ROLE=NAME) writes no kernels: also give a --model without a "
        "role");
  if (strategy->is_writing && !has_writer)
    return fail_input(ErrorCode::Missing, About{"--model"},
                      "strategy '" + name + "' needs a model that writes kernels: give --model");
  if (!strategy->is_writing && has_writer)
    return fail_input(ErrorCode::Contradiction, About{"--model"},
                      "--model has no effect on strategy '" + name + "', which asks no model");
  return strategy;
}

/// The tuner that the flags name, or the default one; an error if the strategy does not tune.
Result<std::string> tuner_of(const OptimizeFlags& flags, const search::StrategyInfo& strategy) {
  if (flags.tuner.empty()) return RunConfig().tuner;
  if (!strategy.is_tuning)
    return fail_input(
        ErrorCode::Contradiction, About{"--tuner"},
        "--tuner has no effect on strategy '" + std::string(strategy.name) +
            "', which tunes nothing; " +
            search::strategies_where([](const auto& info) { return info.is_tuning; }) + " do");
  return std::string(KW_TRY(search::find_tuner(flags.tuner))->name);
}

int start_attempts_of(const OptimizeFlags& flags) {
  if (flags.from_scratch) return 0;
  const std::int64_t share =
      flags.attempts == 0 ? kMostStartAttempts : flags.attempts / kStartShare;
  return static_cast<int>(std::min(kMostStartAttempts, share));
}

/// Sets the default time limit if neither attempts, time nor spending is bounded.
void set_default_limits(RunConfig& config, bool is_writing) {
  const SpendLimits& spend = config.limits;
  if (config.max_attempts != 0 || config.max_time_ns != 0) return;
  if (spend.usd || spend.tokens || spend.calls) return;
  config.max_time_ns = is_writing ? kDefaultWritingTimeNs : kDefaultTimeNs;
}

/// Sets what the prompts of a writing model contain: feedback, knowledge and memory. An error if no
/// model writes.
Result<> set_evidence(const OptimizeFlags& flags, const search::StrategyInfo& strategy,
                      RunConfig& config) {
  const std::string name(strategy.name);
  if (!strategy.is_writing && !flags.feedback.empty())
    return fail_input(
        ErrorCode::Contradiction, About{"--feedback"},
        "--feedback has no effect on strategy '" + name + "', for which no model writes");
  if (!strategy.is_writing && flags.no_knowledge)
    return fail_input(
        ErrorCode::Contradiction, About{"--no-knowledge"},
        "--no-knowledge has no effect on strategy '" + name + "', for which no model writes");
  if (!flags.feedback.empty()) {
    const auto level = enum_from<FeedbackLevel>(flags.feedback);
    if (!level)
      return fail_input(
          ErrorCode::BadInput, About{"--feedback"},
          "--feedback is none, errors, findings or profile, not '" + flags.feedback + "'");
    config.feedback = *level;
  }
  if (flags.profile && config.feedback < FeedbackLevel::Profile)
    return fail_input(ErrorCode::Contradiction, About{"--profile with --feedback"},
                      "--profile informs the model that writes, and --feedback " + flags.feedback +
                          " leaves profiles out of its prompts");
  if (flags.no_knowledge && flags.freeze_memory)
    return fail_input(ErrorCode::Contradiction, About{"--freeze-memory"},
                      "--freeze-memory has no effect with --no-knowledge, which uses no memory");
  if ((flags.no_knowledge || flags.no_memory) && !flags.embedder.empty())
    return fail_input(ErrorCode::Contradiction, About{"--embed"},
                      "--embed ranks what memory holds, so it cannot be given with --no-memory or "
                      "--no-knowledge");
  config.uses_knowledge = !flags.no_knowledge;
  config.freezes_memory = flags.freeze_memory;
  config.label = flags.label;
  return {};
}

/// Whether kernels are profiled: with --profile, and by default for strategies that read profiles,
/// unless --no-profile is given.
Result<bool> wants_profiles(const OptimizeFlags& flags, const search::StrategyInfo& strategy,
                            const RunConfig& config) {
  if (flags.profile && flags.no_profile)
    return fail_input(ErrorCode::Contradiction, About{"--profile with --no-profile"},
                      "--profile and --no-profile contradict each other: give one of them");
  const bool has_profiler = row_of(config.target).has_profiler;
  if (flags.profile && !has_profiler)
    return fail_input(ErrorCode::Contradiction, About{"--profile with --target"},
                      "--profile has an effect only with --target " +
                          target_names(" or ", &TargetRow::has_profiler));
  const bool is_usual =
      strategy.reads_every_profile && has_profiler && config.feedback == FeedbackLevel::Profile;
  return flags.profile || (is_usual && !flags.no_profile);
}

/// Whether `--mode` asks for builds by shape.
Result<bool> wants_shape_builds(const std::string& mode) {
  if (mode != "generic" && mode != "specialised")
    return fail_input(ErrorCode::BadInput, About{"--mode"},
                      "--mode is generic or specialised, not '" + mode + "'");
  return mode == "specialised";
}

}  // namespace

Result<RunConfig> config_of(const OptimizeFlags& flags) {
  RunConfig config;
  config.task_path = flags.task;
  KW_TRY(refuse_on_landscape(flags));
  const Aim aim = KW_TRY(flags.target.aim());
  config.target = aim.target;
  config.arch = aim.arch;
  const search::StrategyInfo* strategy = KW_TRY(strategy_of(flags));
  config.strategy = strategy->name;
  config.tuner = KW_TRY(tuner_of(flags, *strategy));
  KW_TRY(flags.writing.into(config));
  KW_TRY(refuse_idle(flags, *strategy));
  for (const llm::ModelSpec& spec : KW_TRY(flags.writing.models.specs()))
    KW_TRY(session::check_role(*strategy, spec));
  KW_TRY(flags.method.into(*strategy, config));
  KW_TRY(set_evidence(flags, *strategy, config));
  config.reward_policy = KW_TRY(search::find_reward_policy(flags.reward))->name;
  config.baseline = flags.baseline;
  config.max_attempts = flags.attempts;
  if (flags.from_scratch && !strategy->is_writing)
    return fail_input(ErrorCode::Contradiction, About{"--from-scratch"},
                      "--from-scratch has an effect only where a model writes: give --model");
  if (strategy->is_writing) config.start_attempts = start_attempts_of(flags);
  config.patience = flags.patience;
  if (!flags.time.empty()) config.max_time_ns = KW_TRY(search::parse_duration(flags.time));
  set_default_limits(config, strategy->is_writing);
  for (const std::string& goal : flags.goals)
    config.goals = KW_TRY(search::parse_goal(goal, config.goals));
  config.seed = static_cast<std::uint64_t>(flags.seed);
  config.outstanding = static_cast<int>(flags.outstanding);
  if (flags.carrier != "pipe" && flags.carrier != session::kBundle)
    return fail_input(ErrorCode::BadInput, About{"--carrier"},
                      "--carrier is pipe or bundle, not '" + flags.carrier + "'");
  config.carrier = flags.carrier;
  config.uses_memory = !flags.no_memory && config.uses_knowledge;
  config.specialises = KW_TRY(wants_shape_builds(flags.mode));
  if (config.specialises && config.carrier == session::kBundle)
    return fail_input(
        ErrorCode::Contradiction, About{"--mode with --carrier"},
        "--mode specialised judges on this machine, so it cannot be given with --carrier bundle");
  config.profiles = KW_TRY(wants_profiles(flags, *strategy, config));
  if (config.carrier == session::kBundle && config.outstanding == 1)
    config.outstanding = kBundleAsks;
  // By default a GPU measures one kernel while the host builds the next. Kernels by models are not
  // overlapped, because the prompt for the next one contains the result of the last.
  const bool overlaps = row_of(aim.target).measures_beside_builds && !strategy->is_writing;
  if (config.carrier == "pipe" && overlaps && config.outstanding == 1) config.outstanding = 2;
  return config;
}

void OptimizeFlags::declare(Flags& f) {
  f.positional("task", task, "Task folder, name of a shipped task, synthetic:SEED or recorded:RUN");
  target.declare(f, true);
  f.text("--strategy", strategy,
         "One of " + names_of(search::strategies()) + "; default greedy, with a model refine");
  f.text("--tuner", tuner,
         "How knobs are searched: one of " + names_of(search::tuners()) + "; default auto");
  f.text("--reward", reward,
         "How an outcome becomes a number: one of " + names_of(search::reward_policies()));
  method.declare(f);
  f.text("--baseline", baseline, "Baseline to beat, by name; default: the fastest");
  f.integer("--attempts", attempts, "End after this many attempts; 0: no limit");
  f.text("--time", time,
         "End after this time, e.g. 120s or 5m; default where nothing else bounds the run: 90s, "
         "with a model 15m");
  f.integer("--patience", patience, "Stop after this many attempts without a new best; 0: never");
  f.texts("--goal", goals,
          "End when the best kernel reaches this time, speedup or share of the roofline: 2.5ms, 8x "
          "or 0.9roof; repeatable");
  f.integer("--seed", seed, "Seed of the strategy, not of the inputs",
            {0, std::numeric_limits<std::int64_t>::max()});
  f.integer("--outstanding", outstanding, "Evaluations in progress at the same time",
            {1, kMostOutstanding});
  f.text("--save-attempts", save_attempts, "Keep every source here as NNN_name.cpp or .cu");
  f.text("--mode", mode,
         "generic: one build of the kernel for all shapes; specialised: also one for each timed "
         "shape");
  f.text("--carrier", carrier,
         "pipe: kernels are judged here; bundle: they are written to runs/TASK.ARCH.bundle for a "
         "machine with a GPU");
  f.text("--results", results, "With --carrier bundle: the results that kw-worker --bundle wrote");
  f.on_off("--profile", profile,
           "cuda: profile every new best for the model that writes; bandit, coder-judge and staged "
           "always profile every kernel that works");
  f.on_off("--no-profile", no_profile,
           "cuda: no profiles, not even with bandit, coder-judge and staged");
  f.on_off("--no-memory", no_memory, "Use no lessons of earlier runs, and leave none");
  f.on_off("--from-scratch", from_scratch,
           "With a model: write a first kernel instead of starting from the task's own");
  f.text(
      "--feedback", feedback,
      "What a model is told about its kernels: none, errors, findings, or profile (the default)");
  f.on_off(
      "--no-knowledge", no_knowledge,
      "With a model: prompts hold the task alone; no examples, lessons or graph of techniques");
  f.text("--embed", embedder,
         join(llm::model_forms(llm::ProviderGroup::Embedding), " | ") +
             " of an embedding model that ranks knowledge by meaning");
  f.on_off("--freeze-memory", freeze_memory, "Use lessons of earlier runs, but leave none");
  f.text("--label", label, "Text that is stored with the run, so that scripts can find it");
  writing.declare(f);
}

}  // namespace kw::cli
