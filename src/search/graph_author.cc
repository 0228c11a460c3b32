// Takes steps along edges of a graph of techniques, and counts their results.
// SPDX-License-Identifier: Apache-2.0
#include "search/graph_author.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/contains.h"

namespace kw::search {
namespace {

// Limit of the visits that earlier runs count as, because their tasks differ from this one.
constexpr double kEarlierVisits = 4;
constexpr std::size_t kShownExamples = 2;  // examples of an edge that an ask shows
// Limit for each side of an example, in bytes, because asks are stored and prompts are limited.
constexpr std::size_t kShownBytes = 6 << 10;

/// Adds edges to `graph` until every technique leads to every other.
TechniqueGraph full_graph(TechniqueGraph graph, const std::vector<TechniqueCard>& cards) {
  for (const TechniqueCard& card : cards) graph.add(TechniqueGraph::kStart, card.name);
  for (const TechniqueCard& from : cards)
    for (const TechniqueCard& to : cards)
      if (from.name != to.name) graph.add(from.name, to.name);
  return graph;
}

std::vector<TechniqueCard> cards_for(const StrategyOptions& options) {
  return options.techniques.empty() ? technique_cards(options.target, options.work)
                                    : options.techniques;
}

/// The graph of the options. If it has no step from the start, as an imported graph may, it is
/// completed.
TechniqueGraph graph_for(const StrategyOptions& options) {
  TechniqueGraph graph = options.graph ? *options.graph : TechniqueGraph();
  if (!graph.out_of(0).empty()) return graph;
  return full_graph(std::move(graph), cards_for(options));
}

/// The options without expert kernels: the way begins at the sequential code.
StrategyOptions without_experts(StrategyOptions options) {
  options.start_asks = 0;
  return options;
}

}  // namespace

GraphAuthor::GraphAuthor(std::vector<Idea> ideas, const StrategyOptions& options)
    : Authoring(std::move(ideas), without_experts(options)),
      graph_(graph_for(options)),
      cards_(cards_for(options)),
      is_frozen_(options.freezes_graph),
      values_(graph_.edges().size()) {}

StepExample GraphAuthor::shortened(StepExample example) {
  for (std::string* side : {&example.before, &example.after})
    if (side->size() > kShownBytes) side->replace(kShownBytes, std::string::npos, "\n// ...\n");
  return example;
}

std::string GraphAuthor::method_of(const std::string& technique) const {
  const auto card = std::ranges::find(cards_, technique, &TechniqueCard::name);
  return card == cards_.end() ? std::string() : card->what;
}

Ask GraphAuthor::take(Edge e, std::optional<WorkId> from, const std::string& why) const {
  const TechniqueEdge& step = edge(e);
  const Work* work = from ? &works_.at(*from) : nullptr;
  Ask ask =
      write(work != nullptr ? Errand::Improve : Errand::Write, work != nullptr ? work->point : 0,
            fmt::format("{}: {} → {}, {}", why, step.from, step.to,
                        work != nullptr ? words_of(*work) : "from the sequential code"));
  ask.manner.writer.prompt = work != nullptr ? "apply" : "graph_first";
  ask.manner.technique = step.to;
  ask.manner.method = method_of(step.to);
  const std::size_t shown = std::min(kShownExamples, step.examples.size());
  // The newest examples are last in the list.
  ask.manner.examples.assign(step.examples.end() - static_cast<std::ptrdiff_t>(shown),
                             step.examples.end());
  for (StepExample& example : ask.manner.examples) example = shortened(std::move(example));
  return ask;
}

Ask GraphAuthor::mend(WorkId failed, const std::string& why) const {
  const Work& work = works_.at(failed);
  Ask ask = write(Errand::Repair, work.ask, fmt::format("{}: mend {}", why, words_of(work)));
  ask.manner.technique = work.technique;
  ask.manner.method = method_of(work.technique);
  return ask;
}

void GraphAuthor::learn_way(const std::vector<Edge>& way, std::optional<WorkId> from,
                            const Tell& tell) {
  KW_ASSERT(!way.empty());
  const double reward = tell.is_correct() ? tell.speedup.value : 0;
  largest_ = std::max(largest_, reward);
  const bool is_taught = teaches(way.back(), tell);
  for (std::size_t i = 0; i < way.size(); ++i) {
    const Edge e = way[i];
    // An edge that occurs several times on the way counts once, at its last place.
    if (std::find(way.begin() + static_cast<std::ptrdiff_t>(i) + 1, way.end(), e) != way.end())
      continue;
    values_[e].add({1, reward});
    if (is_taught) updates_.push_back({edge(e).from, edge(e).to, {}, {1, reward / largest_}});
  }
  if (is_taught) count_step(way.back(), from, tell);
}

bool GraphAuthor::teaches(Edge last, const Tell& tell) const {
  if (is_frozen_ || tell.traits.is_repeated) return false;
  // A writer that made something else has shown nothing about this step.
  return !tell.shown || contains(*tell.shown, edge(last).to);
}

void GraphAuthor::count_step(Edge e, std::optional<WorkId> from, const Tell& tell) {
  StepCount count{1, 0, 0};
  if (tell.is_correct() && tell.speedup.value > 0) {
    // The speed of the sequential code is not known here; it counts as the run's baseline.
    const double before = from ? works_.at(*from).first_speedup : 1;
    count.worked = 1;
    count.gain = before > 0 ? std::log(tell.speedup.value / before) : 0;
  }
  graph_.count(e, count);
  updates_.back().count = count;
  updates_.back().before = from ? works_.at(*from).ask : 0;
}

StepValue GraphAuthor::value(Edge e) const {
  StepValue value = values_[e];
  value.rewards /= largest_;
  const StepValue& earlier = edge(e).value;
  const double share = std::min(1.0, kEarlierVisits / std::max(1.0, earlier.visits));
  value.add({share * earlier.visits, share * earlier.rewards});
  return value;
}

}  // namespace kw::search
