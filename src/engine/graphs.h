// The technique graph of a workspace: what a run begins with, and what the run teaches it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "record/attempt.h"
#include "record/technique_graph.h"
#include "search/graph_author.h"
#include "store/run_store.h"

namespace kw::engine {

/// Whether the strategy walks a technique graph that was learnt from other runs. Where this is
/// false and the strategy walks a graph, every technique leads to every other.
Result<bool> knows_graph(const RunConfig& config);

/// The workspace's technique graph for a target; `seed` if there is none yet.
Result<TechniqueGraph> workspace_graph(const store::RunStore& store, Target target,
                                       const TechniqueGraph& seed);
/// Changes the workspace's graph in one transaction: if two processes do so at the same moment, the
/// second changes what the first has made. `change` must not use the store.
Result<TechniqueGraph> change_graph(store::RunStore& store, Target target,
                                    const TechniqueGraph& seed,
                                    const std::function<void(TechniqueGraph&)>& change);

/// Whether the counts of this file are in the workspace's graph, because it was imported into the
/// graph or exported from it. If it were imported again, they would count twice.
Result<bool> knows_graph_file(const store::RunStore& store, Target target, const std::string& text);
Result<> note_graph_file(store::RunStore& store, Target target, const std::string& text);
/// Forgets which graph files the workspace's graph has counted, for a graph that is made anew.
Result<> forget_graph_files(store::RunStore& store, Target target);

/// Sources whose steps the workspace's graph has counted, by name: for a run (counted_run()) the
/// number of its last counted attempt, for any other source 1. No step may be counted twice.
using GraphCounted = std::map<std::string, int>;
std::string counted_run(const RunSummary& run);
Result<GraphCounted> graph_counted(const store::RunStore& store, Target target);
/// Adds `more` to the record of what the workspace's technique graph has counted.
Result<> note_counted(store::RunStore& store, Target target, const GraphCounted& more);
/// Replaces the record of what the workspace's technique graph has counted, for a graph that is
/// made anew.
Result<> replace_counted(store::RunStore& store, Target target, const GraphCounted& all);

/// The graph that this run began with. It is kept with the run, so that resume and replay decide
/// the same whatever other runs have taught the workspace since.
Result<TechniqueGraph> graph_of_run(store::RunStore& store, const RunSummary& run,
                                    const TechniqueGraph& seed);
/// The graph that a stored run began with; an error if the run has none.
Result<TechniqueGraph> recorded_graph(const store::RunStore& store, const RunSummary& run);

/// Adds what an attempt showed of its technique steps to the workspace's graph. A step that worked
/// becomes an example, with the verified code before and after it. `reference`: the sequential
/// code.
Result<> teach_graph(store::RunStore& store, const RunSummary& run, const TechniqueGraph& seed,
                     const Attempt& attempt,
                     const std::vector<search::GraphLearner::StepUpdate>& updates,
                     const std::string& reference);

}  // namespace kw::engine
