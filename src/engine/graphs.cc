// Graphs as facts of the store and events of runs.
// SPDX-License-Identifier: Apache-2.0
#include "engine/graphs.h"

namespace kw::engine {
namespace {

constexpr const char* kGraphFact = "technique graph";
constexpr const char* kGraphEvent = "graph";

}  // namespace

Result<TechniqueGraph> workspace_graph(const store::RunStore& store, Target target,
                                       const TechniqueGraph& seed) {
  const auto text = KW_TRY(store.recall(kGraphFact, std::string(name_of(target))));
  if (!text) return seed;
  return parse_technique_graph(*text);
}

Result<> keep_graph(store::RunStore& store, Target target, const TechniqueGraph& graph) {
  return store.remember(kGraphFact, std::string(name_of(target)), to_json(graph));
}

Result<TechniqueGraph> recorded_graph(const store::RunStore& store, const RunSummary& run) {
  const auto known = KW_TRY(store.events(run.id, kGraphEvent));
  if (known.empty()) return fail("the run has no graph of techniques", run.name);
  return parse_technique_graph(known.front().body);
}

Result<TechniqueGraph> graph_of_run(store::RunStore& store, const RunSummary& run,
                                    const TechniqueGraph& seed) {
  if (!KW_TRY(store.events(run.id, kGraphEvent)).empty()) return recorded_graph(store, run);
  TechniqueGraph graph = KW_TRY(workspace_graph(store, run.config.target, seed));
  KW_TRY(store.append_event(run.id, {0, kGraphEvent, 0, to_json(graph)}));
  return graph;
}

Result<> teach_graph(store::RunStore& store, const RunSummary& run, const TechniqueGraph& seed,
                     const Attempt& attempt,
                     const std::vector<search::GraphLearner::StepUpdate>& updates) {
  if (updates.empty()) return {};
  TechniqueGraph graph = KW_TRY(workspace_graph(store, run.config.target, seed));
  for (const auto& update : updates) {
    const std::size_t edge = graph.add(update.from, update.to);
    graph.count(edge, update.count);
    if (update.count.worked == 0 || attempt.parent == 0) continue;
    const Attempt parent = KW_TRY(store.attempt(run.id, attempt.parent));
    if (parent.evaluation.verdict.is_correct())
      graph.add_example(
          edge, {run.config.task, attempt.plan, parent.candidate.source, attempt.candidate.source});
  }
  return keep_graph(store, run.config.target, graph);
}

}  // namespace kw::engine
