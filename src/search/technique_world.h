// TechniqueWorld: a synthetic graph of techniques with a known optimum, and somebody who writes
// there: what strategies that have sources written are compared on, without model and device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/rng.h"
#include "search/landscape.h"

namespace kw::search {

/// The same options give the same world everywhere.
struct WorldOptions {
  std::uint64_t seed = 1;
  int techniques = 14;    ///< At most 20: the optimum is found by looking everywhere.
  double failure = 0.35;  ///< Mean chance that applying a technique fails.
  double noise = 0.01;    ///< sd of the log of a measured speedup.
  /// Another task of the same family: gains and chances differ somewhat, one technique in eight
  /// does something else altogether. 0: the world itself.
  std::uint64_t sibling = 0;
};

/// A kernel is a set of techniques. Each gains or costs something, some only where another is
/// there; traps gain at once and take away what others would gain; each belongs to a resource whose
/// gains saturate.
class TechniqueWorld {
 public:
  using Set = std::uint32_t;  ///< Bit i: technique i is applied.
  static constexpr std::size_t kResources = 3;
  static constexpr Set bit(std::size_t t) { return Set{1} << t; }

  explicit TechniqueWorld(const WorldOptions& options);

  const WorldOptions& options() const { return options_; }
  const std::vector<TechniqueCard>& cards() const { return cards_; }
  /// One idea with a knob of 0 or 1 for each technique, for strategies that nobody writes for. Each
  /// technique works or not by one lot: nobody mends it.
  std::vector<Idea> ideas() const;

  /// Over the plain kernel.
  double speedup(Set set) const;
  Set best() const { return best_; }
  double best_speedup() const { return speedup(best_); }
  /// Chance that technique `t` fails when it is added to `set`.
  double failure(Set set, std::size_t t) const;
  /// Share of what its resource can give that a set has got already, 0–1.
  double used(Set set, std::size_t resource) const;
  std::size_t resource(std::size_t t) const { return nodes_[t].resource; }
  bool has_what_it_needs(Set set, std::size_t t) const { return (nodes_[t].needs & ~set) == 0; }
  /// How readily whoever writes thinks of it: traps come to mind first.
  double taste(std::size_t t) const { return nodes_[t].taste; }
  Traits traits(Set set) const;
  /// What others might have learnt: from the start to what needs nothing, from what is needed to
  /// what needs it, and every other step with a chance of a third. Nothing is counted yet.
  TechniqueGraph graph() const;
  Idea idea_of(Set set) const;

 private:
  struct Node {
    double gain = 0;  ///< Logarithm.
    double failure = 0;
    double taste = 1;
    Set needs = 0;
    Set spoilt_by = 0;  ///< Beside these it gains nothing.
    std::size_t resource = 0;
  };
  double gain(Set set, std::size_t t) const;
  std::array<double, kResources> sums(Set set) const;
  void add_traps(Rng& rng);
  void vary();

  WorldOptions options_;
  std::vector<Node> nodes_;
  std::vector<TechniqueCard> cards_;
  std::array<double, kResources> capacity_{};
  Set best_ = 0;
};

/// Options for a strategy in this world, with its techniques.
StrategyOptions options_in(const TechniqueWorld& world, std::uint64_t seed);

/// Runs a strategy in a world. A source is written by rules with chance: the technique that the ask
/// names, or one of the writer's own choice, which leans to what comes to mind, away from what the
/// history that it is shown says was tried, and, where it sees a profile, away from what is
/// saturated. It fails by the technique's chance, less where it is shown code that has it. A
/// failure is mended more easily than made, and now and then by leaving the technique out. Below a
/// level of feedback it knows nothing of what that level tells: of failures (and mends blindly), of
/// losses, of what is saturated. The answer to ask n depends on seed, n, and what was asked before.
Play play(Strategy& strategy, const TechniqueWorld& world, const PlayOptions& options,
          std::uint64_t seed = 1, FeedbackLevel feedback = FeedbackLevel::Profile);

}  // namespace kw::search
