// Lists all strategies and tuners, and makes them by name.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/with_nearest.h"
#include "search/methods.h"
#include "search/strategy.h"

namespace kw::search {
namespace {

constexpr std::array<std::string_view, 3> kTreeRoles{"planner", "coder", "debugger"};

constexpr std::array<std::string_view, 1> kWalkRoles{"guide"};
constexpr std::array<std::string_view, 1> kStagedRoles{"debugger"};
constexpr std::array<std::string_view, 3> kAgentRoles{"planner", "coder", "critic"};
constexpr std::array<std::string_view, 2> kForgeRoles{"judge", "coder"};

constexpr std::array kStrategies{
    StrategyInfo{.name = "greedy",
                 .what = "tries every idea once, from simple to best, then tunes the knobs of the "
                         "promising ones, fastest first",
                 .make = make_greedy,
                 .is_tuning = true,
                 .has_parents = true},
    StrategyInfo{.name = "random",
                 .what = "tries random ideas at random points of their knobs, none twice",
                 .make = make_random},
    StrategyInfo{.name = "refine",
                 .what = "begins with the task's expert kernels; a model then writes, repairs what "
                         "failed and improves the best, and knobs are tuned before the next source",
                 .make = make_refine,
                 .is_tuning = true,
                 .is_writing = true,
                 .has_parents = true,
                 .has_repairs = true},
    StrategyInfo{.name = "best-of-n",
                 .what = "a model writes n kernels from the task alone, and the best is tuned",
                 .make = make_best_of_n,
                 .is_tuning = true,
                 .is_writing = true},
    StrategyInfo{.name = "attempt-tree",
                 .what = "a tree of attempts: a planner and a coder improve the best, a debugger "
                         "repairs failures, and leaves are tried at random (STARK)",
                 .make = make_attempt_tree,
                 .roles = kTreeRoles,
                 .is_tuning = true,
                 .is_writing = true,
                 .has_parents = true},
    StrategyInfo{.name = "evolve",
                 .what = "islands of kernels that keep the fastest of each kind; children by "
                         "edits, rewriting and crossover (AlphaEvolve)",
                 .make = make_evolve,
                 .is_tuning = true,
                 .is_writing = true,
                 .has_parents = true},
    StrategyInfo{.name = "bandit",
                 .what = "sorts kernels into clusters by measured features and learns for each "
                         "cluster which technique pays (KernelBand)",
                 .make = make_bandit,
                 .is_tuning = true,
                 .is_writing = true,
                 .has_parents = true,
                 .reads_every_profile = true},
    StrategyInfo{.name = "staged",
                 .what = "one evolving kernel, one transformation a step; failures are diagnosed "
                         "and patched, and the profile is shown late (CuTeGen)",
                 .make = make_staged,
                 .roles = kStagedRoles,
                 .is_tuning = true,
                 .is_writing = true,
                 .has_parents = true,
                 .reads_every_profile = true,
                 .has_rounds = true},
    StrategyInfo{
        .name = "coder-judge",
        .what =
            "a coder writes, a judge reads the result and names one thing to change (CUDAForge)",
        .make = make_coder_judge,
        .roles = kForgeRoles,
        .is_tuning = true,
        .is_writing = true,
        .has_parents = true,
        .reads_every_profile = true,
        .has_presets = true,
        .has_rounds = true},
    StrategyInfo{.name = "reward-refine",
                 .what = "refines the previous kernel; a learned model of the reward chooses the "
                         "technique (TritonGym)",
                 .make = make_reward_refine,
                 .is_tuning = true,
                 .is_writing = true,
                 .has_parents = true,
                 .has_rounds = true},
    StrategyInfo{.name = "graph-walk",
                 .what = "a chain of steps along the graph of techniques, chosen at random, by "
                         "weight or by a model (ReGraphT)",
                 .make = make_graph_walk,
                 .roles = kWalkRoles,
                 .is_tuning = true,
                 .is_writing = true,
                 .has_parents = true,
                 .has_graph = true},
    StrategyInfo{.name = "graph-search",
                 .what = "Monte Carlo search over the graph of techniques (ReGraphT)",
                 .make = make_graph_search,
                 .is_tuning = true,
                 .is_writing = true,
                 .has_parents = true,
                 .has_graph = true,
                 .has_presets = true,
                 .has_rounds = true},
    StrategyInfo{.name = "agent",
                 .what = "a planner picks what to do, a coder writes, and a critic reads before "
                         "anything is judged",
                 .make = make_agent,
                 .roles = kAgentRoles,
                 .is_tuning = true,
                 .is_writing = true,
                 .has_parents = true,
                 .has_repairs = true},
};

constexpr std::array kTuners{
    TunerInfo{
        .name = "auto", .what = "exhaustive for small spaces, else bayesian", .make = make_auto},
    TunerInfo{.name = "random", .what = "untried points at random", .make = make_random_tuner},
    TunerInfo{.name = "bayesian",
              .what = "the point of the largest expected improvement, by Gaussian processes of "
                      "speed and of success",
              .make = make_bayesian},
    TunerInfo{.name = "evolutionary",
              .what = "crossover and steps in a small population, with restarts",
              .make = make_evolutionary},
    TunerInfo{.name = "exhaustive", .what = "every valid point, in order", .make = make_exhaustive},
    TunerInfo{.name = "halving",
              .what = "random points by successive halving over measurement fidelity",
              .make = make_halving},
    TunerInfo{.name = "halving_climb",
              .what = "halving, then climbing from its winner",
              .make = make_halving_climb},
    TunerInfo{.name = "climb",
              .what = "moves to the best neighbouring setting until none is better",
              .make = make_climb},
};

template <class Info>
Result<const Info*> find(std::span<const Info> all, std::string_view kind, std::string_view name) {
  std::vector<std::string> names;
  for (const Info& info : all) {
    if (info.name == name) return &info;
    names.emplace_back(info.name);
  }
  return fail_input(ErrorCode::NotFound, About{with_nearest(name, names)},
                    fmt::format("no {} '{}'{}; there are: {}", kind, name, suggestion(name, names),
                                join(names, ", ")));
}

}  // namespace

std::span<const StrategyInfo> strategies() { return kStrategies; }
std::span<const TunerInfo> tuners() { return kTuners; }

std::string strategies_where(bool (*is_so)(const StrategyInfo&)) {
  std::vector<std::string> names;
  for (const StrategyInfo& info : strategies())
    if (is_so(info)) names.emplace_back(info.name);
  return join(names, ", ");
}

Result<const StrategyInfo*> find_strategy(std::string_view name) {
  return find(strategies(), "strategy", name);
}

Result<const TunerInfo*> find_tuner(std::string_view name) { return find(tuners(), "tuner", name); }

}  // namespace kw::search
