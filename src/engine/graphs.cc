// Keeps technique graphs in the store, as facts of the workspace and as events of runs.
// SPDX-License-Identifier: Apache-2.0
#include "engine/graphs.h"

#include <algorithm>
#include <charconv>

#include "base/contains.h"
#include "base/hash.h"
#include "base/text.h"
#include "search/strategy.h"

namespace kw::engine {
namespace {

constexpr const char* kGraphFact = "technique graph";
constexpr const char* kGraphFilesFact = "graph files";      // hashes, one per line
constexpr const char* kGraphCountedFact = "graph counted";  // one per line: name, tab, attempt
constexpr const char* kGraphEvent = "graph";

Result<TechniqueGraph> graph_of(const std::optional<std::string>& text,
                                const TechniqueGraph& seed) {
  if (!text) return seed;
  return parse_technique_graph(*text);
}

GraphCounted parse_counted(const std::optional<std::string>& text) {
  GraphCounted counted;
  if (!text) return counted;
  for (const std::string_view line : split_lines(*text)) {
    const auto tab = line.rfind('\t');
    int number = 0;
    if (tab == std::string_view::npos) continue;
    std::from_chars(line.data() + tab + 1, line.data() + line.size(), number);
    counted[std::string(line.substr(0, tab))] = number;
  }
  return counted;
}

std::string text_of(const GraphCounted& counted) {
  std::string text;
  for (const auto& [name, number] : counted) text += name + "\t" + std::to_string(number) + "\n";
  return text;
}

}  // namespace

Result<bool> knows_graph(const RunConfig& config) {
  return config.uses_knowledge && KW_TRY(search::find_strategy(config.strategy))->has_graph;
}

Result<TechniqueGraph> workspace_graph(const store::RunStore& store, Target target,
                                       const TechniqueGraph& seed) {
  return graph_of(KW_TRY(store.facts().recall(kGraphFact, std::string(name_of(target)))), seed);
}

Result<TechniqueGraph> change_graph(store::RunStore& store, Target target,
                                    const TechniqueGraph& seed,
                                    const std::function<void(TechniqueGraph&)>& change) {
  TechniqueGraph graph;
  KW_TRY(store.facts().revise(kGraphFact, std::string(name_of(target)),
                              [&](const std::optional<std::string>& text) -> Result<std::string> {
                                graph = KW_TRY(graph_of(text, seed));
                                change(graph);
                                return to_json(graph);
                              }));
  return graph;
}

Result<bool> knows_graph_file(const store::RunStore& store, Target target,
                              const std::string& text) {
  const auto hashes = KW_TRY(store.facts().recall(kGraphFilesFact, std::string(name_of(target))));
  return hashes && contains(split_lines(*hashes), std::string_view(sha256(text).hex()));
}

Result<> note_graph_file(store::RunStore& store, Target target, const std::string& text) {
  return store.facts().revise(kGraphFilesFact, std::string(name_of(target)),
                              [&](const std::optional<std::string>& hashes) -> Result<std::string> {
                                return hashes.value_or("") + sha256(text).hex() + "\n";
                              });
}

Result<> forget_graph_files(store::RunStore& store, Target target) {
  return store.facts().remember(kGraphFilesFact, std::string(name_of(target)), "");
}

std::string counted_run(const RunSummary& run) { return "run " + std::to_string(run.id); }

Result<GraphCounted> graph_counted(const store::RunStore& store, Target target) {
  return parse_counted(
      KW_TRY(store.facts().recall(kGraphCountedFact, std::string(name_of(target)))));
}

Result<> note_counted(store::RunStore& store, Target target, const GraphCounted& more) {
  return store.facts().revise(kGraphCountedFact, std::string(name_of(target)),
                              [&](const std::optional<std::string>& text) -> Result<std::string> {
                                GraphCounted counted = parse_counted(text);
                                for (const auto& [name, number] : more)
                                  counted[name] = std::max(counted[name], number);
                                return text_of(counted);
                              });
}

Result<> replace_counted(store::RunStore& store, Target target, const GraphCounted& all) {
  return store.facts().remember(kGraphCountedFact, std::string(name_of(target)), text_of(all));
}

Result<TechniqueGraph> recorded_graph(const store::RunStore& store, const RunSummary& run) {
  const auto known = KW_TRY(store.events().of(run.id, kGraphEvent));
  if (known.empty())
    return fail_input(ErrorCode::Missing, About{"graph"}, "this run used no graph of techniques",
                      run.name);
  return parse_technique_graph(known.front().body);
}

Result<TechniqueGraph> graph_of_run(store::RunStore& store, const RunSummary& run,
                                    const TechniqueGraph& seed) {
  if (!KW_TRY(store.events().of(run.id, kGraphEvent)).empty()) return recorded_graph(store, run);
  TechniqueGraph graph = KW_TRY(workspace_graph(store, run.config.target, seed));
  KW_TRY(store.events().append(run.id, {0, kGraphEvent, 0, to_json(graph)}));
  return graph;
}

Result<> teach_graph(store::RunStore& store, const RunSummary& run, const TechniqueGraph& seed,
                     const Attempt& attempt,
                     const std::vector<search::GraphLearner::StepUpdate>& updates,
                     const std::string& reference) {
  if (updates.empty()) return {};
  const int from = updates.back().before;  // only the last step of a way was taken now
  const std::string before =
      from != 0 ? KW_TRY(store.attempts().get(run.id, from)).candidate.source : reference;
  KW_TRY(change_graph(store, run.config.target, seed, [&](TechniqueGraph& graph) {
    for (const auto& update : updates) {
      const std::size_t edge = graph.add(update.from, update.to);
      graph.count(edge, update.count);
      graph.add_value(edge, update.value);
      if (update.count.worked != 0)
        graph.add_example(edge, {run.config.task, attempt.plan, before, attempt.candidate.source});
    }
  }));
  return note_counted(store, run.config.target, {{counted_run(run), attempt.number}});
}

}  // namespace kw::engine
