// Lists all strategies and tuners, and makes them by name.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
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
    StrategyInfo{"greedy",
                 "tries every idea once, from simple to best, then tunes the knobs of the "
                 "promising ones, fastest first",
                 true, false, true, make_greedy},
    StrategyInfo{"random", "tries random ideas at random points of their knobs, none twice", false,
                 false, false, make_random},
    StrategyInfo{"refine",
                 "begins with the task's expert kernels; a model then writes, repairs "
                 "what failed and improves the best, and knobs are tuned before the next "
                 "source",
                 true,
                 true,
                 true,
                 make_refine,
                 {},
                 false,
                 false,
                 false,
                 false,
                 true},
    StrategyInfo{"best-of-n", "a model writes n kernels from the task alone, and the best is tuned",
                 true, true, false, make_best_of_n},
    StrategyInfo{"attempt-tree",
                 "a tree of attempts: a planner and a coder improve the best, a debugger "
                 "repairs failures, and leaves are tried at random (STARK)",
                 true, true, true, make_attempt_tree, kTreeRoles},
    StrategyInfo{"evolve",
                 "islands of kernels that keep the fastest of each kind; children by "
                 "edits, rewriting and crossover (AlphaEvolve)",
                 true, true, true, make_evolve},
    StrategyInfo{"bandit",
                 "sorts kernels into clusters by measured features and learns for each "
                 "cluster which technique pays (KernelBand)",
                 true,
                 true,
                 true,
                 make_bandit,
                 {},
                 false,
                 false,
                 false,
                 true},
    StrategyInfo{"staged",
                 "one evolving kernel, one transformation a step; failures are diagnosed "
                 "and patched, and the profile is shown late (CuTeGen)",
                 true, true, true, make_staged, kStagedRoles, false, true, false, true},
    StrategyInfo{"coder-judge",
                 "a coder writes, a judge reads the result and names one thing to change "
                 "(CUDAForge)",
                 true, true, true, make_coder_judge, kForgeRoles, true, true, false, true},
    StrategyInfo{"reward-refine",
                 "refines the previous kernel; a learned model of the reward chooses the "
                 "technique (TritonGym)",
                 true,
                 true,
                 true,
                 make_reward_refine,
                 {},
                 false,
                 true},
    StrategyInfo{"graph-walk",
                 "a chain of steps along the graph of techniques, chosen at random, by "
                 "weight or by a model (ReGraphT)",
                 true, true, true, make_graph_walk, kWalkRoles, false, false, true},
    StrategyInfo{"graph-search",
                 "Monte Carlo search over the graph of techniques (ReGraphT)",
                 true,
                 true,
                 true,
                 make_graph_search,
                 {},
                 true,
                 true,
                 true},
    StrategyInfo{"agent",
                 "a planner picks what to do, a coder writes, and a critic reads before "
                 "anything is judged",
                 true, true, true, make_agent, kAgentRoles, false, false, false, false, true},
};

constexpr std::array kTuners{
    TunerInfo{"auto", "exhaustive for small spaces, else bayesian", make_auto},
    TunerInfo{"random", "untried points at random", make_random_tuner},
    TunerInfo{"bayesian",
              "the point of the largest expected improvement, by Gaussian processes of "
              "speed and of success",
              make_bayesian},
    TunerInfo{"evolutionary", "crossover and steps in a small population, with restarts",
              make_evolutionary},
    TunerInfo{"exhaustive", "every valid point, in order", make_exhaustive},
    TunerInfo{"halving", "random points by successive halving over measurement fidelity",
              make_halving},
    TunerInfo{"halving_climb", "halving, then climbing from its winner", make_halving_climb},
    TunerInfo{"climb", "moves to the best neighbouring setting until none is better", make_climb},
};

template <class Info>
Result<const Info*> find(std::span<const Info> all, std::string_view kind, std::string_view name) {
  std::vector<std::string> names;
  for (const Info& info : all) {
    if (info.name == name) return &info;
    names.emplace_back(info.name);
  }
  return fail_input(fmt::format("no {} '{}'{}; there are: {}", kind, name, suggestion(name, names),
                                join(names, ", ")));
}

}  // namespace

std::span<const StrategyInfo> strategies() { return kStrategies; }
std::span<const TunerInfo> tuners() { return kTuners; }

Result<const StrategyInfo*> find_strategy(std::string_view name) {
  return find(strategies(), "strategy", name);
}

Result<const TunerInfo*> find_tuner(std::string_view name) { return find(tuners(), "tuner", name); }

Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name, std::vector<Idea> ideas,
                                                const StrategyOptions& options) {
  const StrategyInfo* info = KW_TRY(find_strategy(name));
  return info->make(std::move(ideas), options);
}

}  // namespace kw::search
