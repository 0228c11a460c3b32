// Constructors of the search methods, one file each; callers outside this room use find_strategy.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "search/strategy.h"

namespace kw::search {

std::unique_ptr<Strategy> make_greedy(std::vector<Idea> ideas, const StrategyOptions& options);
std::unique_ptr<Strategy> make_random(std::vector<Idea> ideas, const StrategyOptions& options);
/// Writes a source, repairs it while it fails, tunes it, and improves the best one. Of the given
/// ideas it tries only expert kernels, as far as start_asks allows.
std::unique_ptr<Strategy> make_refine(std::vector<Idea> ideas, const StrategyOptions& options);
/// Writes n kernels from the task alone and tunes the best. Of the given ideas it tries only expert
/// kernels, as far as start_asks allows.
std::unique_ptr<Strategy> make_best_of_n(std::vector<Idea> ideas, const StrategyOptions& options);
/// Grows a tree of attempts, usually at the best node and now and then at a leaf.
std::unique_ptr<Strategy> make_attempt_tree(std::vector<Idea> ideas,
                                            const StrategyOptions& options);
/// Evolves kernels on islands, each of which keeps the fastest kernel of each kind.
std::unique_ptr<Strategy> make_evolve(std::vector<Idea> ideas, const StrategyOptions& options);
/// Chooses a cluster of kernels and a technique by upper confidence bounds.
std::unique_ptr<Strategy> make_bandit(std::vector<Idea> ideas, const StrategyOptions& options);
/// Evolves one kernel, one transformation per step; failures are diagnosed and patched.
std::unique_ptr<Strategy> make_staged(std::vector<Idea> ideas, const StrategyOptions& options);
/// Has a coder write what a judge asks for.
std::unique_ptr<Strategy> make_coder_judge(std::vector<Idea> ideas, const StrategyOptions& options);
/// Refines the previous kernel, and learns a model of the reward on the way.
std::unique_ptr<Strategy> make_reward_refine(std::vector<Idea> ideas,
                                             const StrategyOptions& options);
/// Follows a chain of steps along the graph of techniques, chosen at random, by weight, or by a
/// model.
std::unique_ptr<Strategy> make_graph_walk(std::vector<Idea> ideas, const StrategyOptions& options);
/// Monte Carlo search over the graph of techniques; the preset selects the variant.
std::unique_ptr<Strategy> make_graph_search(std::vector<Idea> ideas,
                                            const StrategyOptions& options);
std::unique_ptr<Strategy> make_graph_search_paper(std::vector<Idea> ideas,
                                                  const StrategyOptions& options);
/// Has a planner choose what to do, a coder write it, and a critic review it before it is judged.
std::unique_ptr<Strategy> make_agent(std::vector<Idea> ideas, const StrategyOptions& options);

/// Tries every valid point of the space, in order.
std::unique_ptr<Strategy> make_exhaustive(const TuningJob& job, const StrategyOptions& options);
/// Random points, measured cheaply; the best third is measured again at three times the fidelity,
/// and so on up to fidelity 1.
std::unique_ptr<Strategy> make_halving(const TuningJob& job, const StrategyOptions& options);
/// Moves from the start to the best neighbour until no neighbour is better.
std::unique_ptr<Strategy> make_climb(const TuningJob& job, const StrategyOptions& options);
/// Tries random points that were not tried yet.
std::unique_ptr<Strategy> make_random_tuner(const TuningJob& job, const StrategyOptions& options);
/// Tries the untried point with the largest expected improvement under a Gaussian process.
std::unique_ptr<Strategy> make_bayesian(const TuningJob& job, const StrategyOptions& options);
/// Tries children of a small population, which restarts when they stop improving.
std::unique_ptr<Strategy> make_evolutionary(const TuningJob& job, const StrategyOptions& options);
/// First halving, then climb from its winner.
std::unique_ptr<Strategy> make_halving_climb(const TuningJob& job, const StrategyOptions& options);
/// Uses exhaustive for small spaces and bayesian for others; docs/search.md has the measurements.
std::unique_ptr<Strategy> make_auto(const TuningJob& job, const StrategyOptions& options);

}  // namespace kw::search
