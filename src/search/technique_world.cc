// Gains, dependencies and traps of a technique world.
// SPDX-License-Identifier: Apache-2.0
#include "search/technique_world.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

namespace kw::search {
namespace {

// Logarithms of speedups, and chances. They are chosen so that a world's optimum is about ten times
// as fast as the plain kernel, needs six to nine of fourteen techniques, and lies behind
// dependencies.
constexpr double kBigShare = 0.3, kSmallShare = 0.35;  // the other techniques cost something
constexpr double kUnmet = -0.08;  // gain of a technique whose needs are not met
constexpr double kSpoilt = -0.05;
constexpr int kTraps = 2;
constexpr double kTrapTaste = 2.5;
constexpr double kCrowding = 0.04;  // chance to fail that each technique already present adds
constexpr double kMostFailure = 0.9;
constexpr double kOtherThere = 0.125;  // share of techniques that differ in a sibling

constexpr std::array<const char*, TechniqueWorld::kResources> kResourceNames{"memory", "compute",
                                                                             "latency"};

}  // namespace

TechniqueWorld::TechniqueWorld(const WorldOptions& options) : options_(options) {
  KW_ASSERT(options.techniques >= 4 && options.techniques <= 20);
  Rng rng(Seed::from_number(options.seed).child("techniques"));
  const auto count = static_cast<std::size_t>(options.techniques);
  for (std::size_t t = 0; t < count; ++t) {
    Node node;
    const double kind = rng.uniform();
    const bool is_big = kind < kBigShare;
    node.gain = is_big                           ? rng.uniform(0.4, 0.9)
                : kind < kBigShare + kSmallShare ? rng.uniform(0.03, 0.25)
                                                 : rng.uniform(-0.4, -0.02);
    node.failure = std::clamp(options.failure * rng.uniform(0.4, 1.6), 0.0, kMostFailure);
    node.taste = rng.uniform(0.4, 1.6);
    node.resource = static_cast<std::size_t>(rng.below(kResources));
    if (t > 0 && rng.uniform() < (is_big ? 0.8 : 0.3))
      node.needs = bit(static_cast<std::size_t>(rng.below(t)));
    nodes_.push_back(node);
  }
  add_traps(rng);
  if (options.sibling != 0) vary();
  for (std::size_t t = 0; t < count; ++t) {
    capacity_[nodes_[t].resource] += std::max(0.0, nodes_[t].gain);
    cards_.push_back({fmt::format("t{:02}", t), fmt::format("apply t{:02}", t),
                      kResourceNames[nodes_[t].resource]});
  }
  for (double& capacity : capacity_) capacity = std::max(0.1, capacity * rng.uniform(0.8, 1.6));
  double most = 0;
  for (Set set = 0; set < bit(count); ++set)
    if (const double here = speedup(set); here > most) most = here, best_ = set;
}

void TechniqueWorld::vary() {
  Rng rng(Seed::from_number(options_.seed).child("siblings").child(options_.sibling));
  for (Node& node : nodes_) {
    node.gain *= rng.uniform(0.7, 1.3);
    node.failure = std::min(kMostFailure, node.failure * rng.uniform(0.7, 1.3));
    if (rng.uniform() < kOtherThere) node.gain = -node.gain / 2;
  }
}

void TechniqueWorld::add_traps(Rng& rng) {
  for (int trap = 0; trap < kTraps; ++trap) {
    const auto at = static_cast<std::size_t>(rng.below(nodes_.size()));
    Node& node = nodes_[at];
    node.gain = rng.uniform(0.25, 0.4);
    node.needs = 0;
    node.taste = kTrapTaste;
    for (std::size_t t = 0; t < nodes_.size(); ++t)
      if (&nodes_[t] != &node && nodes_[t].gain > 0.4 && rng.uniform() < 0.6)
        nodes_[t].spoilt_by |= bit(at);
  }
}

double TechniqueWorld::gain(Set set, std::size_t t) const {
  const Node& node = nodes_[t];
  if (!has_what_it_needs(set, t)) return std::min(kUnmet, node.gain);
  if ((node.spoilt_by & set) != 0) return std::min(kSpoilt, node.gain);
  return node.gain;
}

std::array<double, TechniqueWorld::kResources> TechniqueWorld::sums(Set set) const {
  std::array<double, kResources> sums{};
  for (std::size_t t = 0; t < nodes_.size(); ++t)
    if ((set & bit(t)) != 0) sums[nodes_[t].resource] += std::max(0.0, gain(set, t));
  return sums;
}

double TechniqueWorld::used(Set set, std::size_t resource) const {
  return 1 - std::exp(-sums(set)[resource] / capacity_[resource]);
}

double TechniqueWorld::speedup(Set set) const {
  double log_speedup = 0;
  const auto gained = sums(set);
  for (std::size_t r = 0; r < kResources; ++r)
    log_speedup += capacity_[r] * (1 - std::exp(-gained[r] / capacity_[r]));
  for (std::size_t t = 0; t < nodes_.size(); ++t)
    if ((set & bit(t)) != 0) log_speedup += std::min(0.0, gain(set, t));
  return std::exp(log_speedup);
}

double TechniqueWorld::failure(Set set, std::size_t t) const {
  const double crowd = 1 + kCrowding * std::popcount(set);
  return std::min(kMostFailure, nodes_[t].failure * crowd);
}

Traits TechniqueWorld::traits(Set set) const {
  Traits traits;
  traits.source_bytes = 1500 + 400 * std::popcount(set);
  std::string words = "one kernel that does what the task asks for and nothing else ";
  for (std::size_t t = 0; t < nodes_.size(); ++t)
    if ((set & bit(t)) != 0)
      words += fmt::format("applies {0} here with {0} a and {0} b and {0} c and {0} d . ",
                           cards_[t].name);
  traits.sketch = sketch_of(words);
  traits.object = fmt::format("{:x}", set);
  for (std::size_t r = 0; r < kResources; ++r) traits.used[kResourceNames[r]] = used(set, r);
  traits.bound = traits.used["memory"] >= traits.used["compute"] ? Bound::Memory : Bound::Compute;
  return traits;
}

Idea TechniqueWorld::idea_of(Set set) const {
  Idea idea{fmt::format("set {:x}", set), {}};
  for (std::size_t t = 0; t < nodes_.size(); ++t)
    if ((set & bit(t)) != 0) idea.techniques.push_back(cards_[t].name);
  return idea;
}

std::vector<Idea> TechniqueWorld::ideas() const {
  std::vector<KnobAxis> knobs;
  for (const TechniqueCard& card : cards_) knobs.push_back({card.name, {0, 1}});
  return {{"every combination", KnobSpace(std::move(knobs))}};
}

TechniqueGraph TechniqueWorld::graph() const {
  Rng rng(Seed::from_number(options_.seed).child("graph"));
  TechniqueGraph graph;
  for (std::size_t t = 0; t < nodes_.size(); ++t)
    if (nodes_[t].needs == 0) graph.add(TechniqueGraph::kStart, cards_[t].name);
  for (std::size_t from = 0; from < nodes_.size(); ++from)
    for (std::size_t to = 0; to < nodes_.size(); ++to) {
      const bool is_needed = (nodes_[to].needs & bit(from)) != 0;
      if (from != to && (is_needed || rng.uniform() < 1.0 / 3))
        graph.add(cards_[from].name, cards_[to].name);
    }
  return graph;
}

StrategyOptions options_in(const TechniqueWorld& world, std::uint64_t seed) {
  StrategyOptions options;
  options.seed = Seed::from_number(seed).child("strategy");
  options.techniques = world.cards();
  options.graph = std::make_shared<TechniqueGraph>(world.graph());
  return options;
}

}  // namespace kw::search
