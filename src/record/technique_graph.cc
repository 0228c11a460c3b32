// Builds, merges and reads technique graphs.
// SPDX-License-Identifier: Apache-2.0
#include "record/technique_graph.h"

#include <nlohmann/json.hpp>

#include "record/codec_impl.h"

namespace kw {
namespace {

/// The JSON document of a graph.
struct GraphDocument {
  int format = 1;
  std::vector<std::string> nodes;
  std::vector<TechniqueEdge> edges;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("format", s.format), v("nodes", s.nodes), v("edges", s.edges);
  }
};

}  // namespace

TechniqueGraph::TechniqueGraph() { add_node(kStart); }

std::optional<std::size_t> TechniqueGraph::node(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

std::size_t TechniqueGraph::add_node(std::string_view name) {
  const auto known = by_name_.find(name);
  if (known != by_name_.end()) return known->second;
  by_name_.emplace(name, nodes_.size());
  nodes_.emplace_back(name);
  out_.emplace_back();
  return nodes_.size() - 1;
}

const TechniqueEdge* TechniqueGraph::edge(std::string_view from, std::string_view to) const {
  const auto source = node(from), target = node(to);
  if (!source || !target) return nullptr;
  const auto found = by_ends_.find({*source, *target});
  return found == by_ends_.end() ? nullptr : &edges_[found->second];
}

std::size_t TechniqueGraph::add(std::string_view from, std::string_view to) {
  const std::size_t source = add_node(from), target = add_node(to);
  const auto [found, is_new] = by_ends_.emplace(std::pair(source, target), edges_.size());
  if (!is_new) return found->second;
  edges_.push_back({std::string(from), std::string(to), {}, {}, {}});
  targets_.push_back(target);
  out_[source].push_back(edges_.size() - 1);
  return edges_.size() - 1;
}

void TechniqueGraph::add_example(std::size_t edge, StepExample example) {
  auto& examples = edges_[edge].examples;
  for (const StepExample& known : examples)
    if (known == example) return;
  if (examples.size() == kMostExamples) examples.erase(examples.begin());
  examples.push_back(std::move(example));
}

void TechniqueGraph::merge(const TechniqueGraph& other) {
  for (const std::string& name : other.nodes_) add_node(name);
  for (const TechniqueEdge& theirs : other.edges_) {
    const std::size_t edge = add(theirs.from, theirs.to);
    for (const StepExample& example : theirs.examples) add_example(edge, example);
    count(edge, theirs.count);
    add_value(edge, theirs.value);
  }
}

std::string to_json(const TechniqueGraph& graph) {
  return codec::write(GraphDocument{1, graph.nodes(), graph.edges()}).dump();
}

Result<TechniqueGraph> parse_technique_graph(std::string_view json) {
  const auto parsed = codec::Json::parse(json, nullptr, false);
  if (parsed.is_discarded())
    return fail(ErrorCode::Malformed, About{"JSON"}, "the file is not valid JSON",
                "technique graph");
  GraphDocument document;
  if (auto status = codec::read(parsed, document); !status)
    return std::unexpected(std::move(status.error()));
  if (document.format != 1)
    return fail(ErrorCode::NewerFormat, About{std::to_string(document.format)},
                "the file has format " + std::to_string(document.format) +
                    ", and this program reads format 1",
                "technique graph");
  TechniqueGraph graph;
  for (const std::string& name : document.nodes) graph.add_node(name);
  for (TechniqueEdge& edge : document.edges) {
    if (edge.from.empty() || edge.to.empty())
      return fail(ErrorCode::Malformed, About{"edge"},
                  "an edge of the graph lacks its 'from' or its 'to' technique", "technique graph");
    const std::size_t at = graph.add(edge.from, edge.to);
    for (StepExample& example : edge.examples) graph.add_example(at, std::move(example));
    graph.count(at, edge.count);
    graph.add_value(at, edge.value);
  }
  return graph;
}

}  // namespace kw
