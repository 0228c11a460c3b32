// Constructors of the search methods, one file each; callers outside this room use make_strategy.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "search/strategy.h"

namespace kw::search {

std::unique_ptr<Strategy> make_greedy(std::vector<Idea> ideas, const StrategyOptions& options);
std::unique_ptr<Strategy> make_random(std::vector<Idea> ideas, const StrategyOptions& options);
/// Asks for sources; of the given ideas it tries only the expert ones, as far as start_asks goes.
std::unique_ptr<Strategy> make_refine(std::vector<Idea> ideas, const StrategyOptions& options);
/// Asks for sources; of the given ideas it tries only the expert ones, as far as start_asks goes.
std::unique_ptr<Strategy> make_best_of_n(std::vector<Idea> ideas, const StrategyOptions& options);
/// A tree of attempts: usually the best is grown, now and then a leaf.
std::unique_ptr<Strategy> make_attempt_tree(std::vector<Idea> ideas,
                                            const StrategyOptions& options);
/// Islands of kernels; each keeps the fastest of each kind.
std::unique_ptr<Strategy> make_evolve(std::vector<Idea> ideas, const StrategyOptions& options);
/// Clusters of kernels × techniques, chosen by upper confidence bounds.
std::unique_ptr<Strategy> make_bandit(std::vector<Idea> ideas, const StrategyOptions& options);
/// One kernel, one transformation a step; failures are diagnosed and patched.
std::unique_ptr<Strategy> make_staged(std::vector<Idea> ideas, const StrategyOptions& options);
/// A coder writes what a judge asks for.
std::unique_ptr<Strategy> make_coder_judge(std::vector<Idea> ideas, const StrategyOptions& options);
/// Refines the previous kernel, and learns a model of the reward on the way.
std::unique_ptr<Strategy> make_reward_refine(std::vector<Idea> ideas,
                                             const StrategyOptions& options);
/// A chain of steps along the graph of techniques, chosen at random, by weight, or by a model.
std::unique_ptr<Strategy> make_graph_walk(std::vector<Idea> ideas, const StrategyOptions& options);
/// Monte Carlo search over the graph of techniques; the preset decides the variant.
std::unique_ptr<Strategy> make_graph_search(std::vector<Idea> ideas,
                                            const StrategyOptions& options);
std::unique_ptr<Strategy> make_graph_search_paper(std::vector<Idea> ideas,
                                                  const StrategyOptions& options);
/// A planner picks what to do, a coder writes, and a critic reads before anything is judged.
std::unique_ptr<Strategy> make_agent(std::vector<Idea> ideas, const StrategyOptions& options);

/// Tries every valid point of the space, in order.
std::unique_ptr<Strategy> make_exhaustive(const TuningJob& job, const StrategyOptions& options);
/// Random points, measured cheaply; the best third is measured again at three times the fidelity,
/// and so on up to fidelity 1.
std::unique_ptr<Strategy> make_halving(const TuningJob& job, const StrategyOptions& options);
/// Goes from the start to the best neighbour until none is better.
std::unique_ptr<Strategy> make_climb(const TuningJob& job, const StrategyOptions& options);
/// Tries untried points at random.
std::unique_ptr<Strategy> make_random_tuner(const TuningJob& job, const StrategyOptions& options);
/// Tries the untried point of the largest expected improvement under a Gaussian process.
std::unique_ptr<Strategy> make_bayesian(const TuningJob& job, const StrategyOptions& options);
/// Children of a small population, which starts anew when they stop getting better.
std::unique_ptr<Strategy> make_evolutionary(const TuningJob& job, const StrategyOptions& options);
/// First halving, then climb from its winner.
std::unique_ptr<Strategy> make_halving_climb(const TuningJob& job, const StrategyOptions& options);
/// exhaustive for small spaces, bayesian for others: docs/search.md has the figures.
std::unique_ptr<Strategy> make_auto(const TuningJob& job, const StrategyOptions& options);

}  // namespace kw::search
