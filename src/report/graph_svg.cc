// Draws a graph of techniques as SVG.
// SPDX-License-Identifier: Apache-2.0
#include "report/graph_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <vector>

#include "report/svg.h"

namespace kw::report {
namespace {

constexpr double kColumn = 230, kRow = 26, kMargin = 40;  // pixels
constexpr int kGained = 0, kCost = 1, kDot = 2;           // colours

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

/// The fewest steps from sequential code to each technique. A technique that cannot be reached gets
/// one step more than the farthest that can.
std::vector<std::size_t> depths_of(const TechniqueGraph& graph) {
  std::vector<std::size_t> depth(graph.nodes().size(), kNowhere);
  std::deque<std::size_t> waiting{0};
  depth[0] = 0;
  std::size_t deepest = 0;
  while (!waiting.empty()) {
    const std::size_t node = waiting.front();
    waiting.pop_front();
    deepest = depth[node];
    for (const std::size_t edge : graph.out_of(node)) {
      const std::size_t next = graph.target(edge);
      if (depth[next] != kNowhere) continue;
      depth[next] = depth[node] + 1;
      waiting.push_back(next);
    }
  }
  for (std::size_t& d : depth)
    if (d == kNowhere) d = deepest + 1;
  return depth;
}

struct Place {
  double x = 0;
  double y = 0;
};

std::vector<double> tries_of(const TechniqueGraph& graph) {
  std::vector<double> tried(graph.nodes().size(), 0);
  for (std::size_t e = 0; e < graph.edges().size(); ++e)
    tried[graph.target(e)] += graph.edges()[e].count.tried;
  return tried;
}

std::vector<Place> places_of(const std::vector<std::size_t>& depth,
                             const std::vector<double>& tried) {
  std::vector<std::size_t> order(depth.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return tried[a] > tried[b]; });
  std::vector<std::size_t> used(depth.size() + 1, 0);
  std::vector<Place> places(depth.size());
  for (const std::size_t node : order)
    places[node] = {kMargin + kColumn * static_cast<double>(depth[node]),
                    kMargin + kRow * static_cast<double>(++used[depth[node]])};
  return places;
}

std::string words_of(const TechniqueEdge& edge) {
  const StepCount& c = edge.count;
  if (c.tried == 0) return fmt::format("from {}: not tried", edge.from);
  return fmt::format("from {}: worked in {:.0f} of {:.0f} tries, {:.3g}x", edge.from, c.worked,
                     c.tried, std::exp(c.gain / std::max(1.0, c.worked)));
}

std::vector<std::string> tooltips_of(const TechniqueGraph& graph) {
  std::vector<std::string> tooltips = graph.nodes();
  for (std::size_t e = 0; e < graph.edges().size(); ++e)
    tooltips[graph.target(e)] += "\n" + words_of(graph.edges()[e]);
  return tooltips;
}

}  // namespace

std::string graph_svg(const TechniqueGraph& graph, const std::string& title) {
  const auto places = places_of(depths_of(graph), tries_of(graph));
  double width = 0, height = 0;
  for (const Place& place : places) {
    width = std::max(width, place.x + kColumn);
    height = std::max(height, place.y + kMargin);
  }
  Svg svg(width, height, title);
  for (std::size_t e = 0; e < graph.edges().size(); ++e) {
    const TechniqueEdge& edge = graph.edges()[e];
    const Place &from = places[*graph.node(edge.from)], &to = places[graph.target(e)];
    svg.line({{from.x, from.y}, {to.x, to.y}}, edge.count.gain < 0 ? kCost : kGained,
             edge.count.tried == 0);
  }
  const auto tooltips = tooltips_of(graph);
  for (std::size_t node = 0; node < places.size(); ++node) {
    svg.dot(places[node].x, places[node].y, kDot, tooltips[node]);
    svg.text(places[node].x + 8, places[node].y + 4, graph.nodes()[node]);
  }
  return std::move(svg).finish();
}

}  // namespace kw::report
