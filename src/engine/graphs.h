// The graph of techniques of a workspace: what a run begins with, and what it teaches.
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

/// Whether the strategy walks what others have found; where it does and this is no, all techniques
/// lead to each other.
Result<bool> knows_graph(const RunConfig& config);

/// The workspace's graph for a target; `seed` where it has none yet.
Result<TechniqueGraph> workspace_graph(const store::RunStore& store, Target target,
                                       const TechniqueGraph& seed);
/// Changes it, in one transaction: of two processes that do so at the same moment, the second
/// changes what the first made of it. `change` must not use the store.
Result<TechniqueGraph> change_graph(store::RunStore& store, Target target,
                                    const TechniqueGraph& seed,
                                    const std::function<void(TechniqueGraph&)>& change);

/// Files whose counts are in the workspace's graph: imported into it, or exported from it. Twice
/// they would count twice.
Result<bool> knows_graph_file(const store::RunStore& store, Target target, const std::string& text);
Result<> note_graph_file(store::RunStore& store, Target target, const std::string& text);
/// For a graph that is made anew.
Result<> forget_graph_files(store::RunStore& store, Target target);

/// What the workspace's graph has counted, by whoever taught it: of a run (counted_run) the
/// attempts up to this one; of anything else 1. Counted again it would count twice.
using GraphCounted = std::map<std::string, int>;
std::string counted_run(const RunSummary& run);
Result<GraphCounted> graph_counted(const store::RunStore& store, Target target);
/// Adds to it.
Result<> note_counted(store::RunStore& store, Target target, const GraphCounted& more);
/// For a graph that is made anew of these.
Result<> replace_counted(store::RunStore& store, Target target, const GraphCounted& all);

/// What this run began with: kept with it, so that resume and replay decide the same whatever
/// others have taught the workspace since.
Result<TechniqueGraph> graph_of_run(store::RunStore& store, const RunSummary& run,
                                    const TechniqueGraph& seed);
/// The same of a run that began before; one without a graph is an error.
Result<TechniqueGraph> recorded_graph(const store::RunStore& store, const RunSummary& run);

/// Adds what an attempt showed of its steps to the workspace's graph. A step that worked becomes an
/// example, with the code before and after it: it was verified. `reference`: the sequential code.
Result<> teach_graph(store::RunStore& store, const RunSummary& run, const TechniqueGraph& seed,
                     const Attempt& attempt,
                     const std::vector<search::GraphLearner::StepUpdate>& updates,
                     const std::string& reference);

}  // namespace kw::engine
