// TechniqueWorld: a synthetic graph of techniques with a known optimum, and a simulated writer, on
// which strategies that ask for sources are compared without a model or device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/rng.h"
#include "search/landscape.h"

namespace kw::search {

/// Parameters of a technique world; the same options give the same world everywhere.
struct WorldOptions {
  std::uint64_t seed = 1;
  int techniques = 14;    ///< At most 20, because the optimum is found by looking everywhere.
  double failure = 0.35;  ///< Mean chance that applying a technique fails.
  double noise = 0.01;    ///< sd of the log of a measured speedup.
  /// Number of another task of the same family: gains and chances differ somewhat, and one
  /// technique in eight is entirely different. 0: the world itself.
  std::uint64_t sibling = 0;
};

/// A world in which a kernel is a set of techniques. Each technique gains or costs something, some
/// only where another one is present. Traps gain at once and take away what other techniques would
/// gain. Each technique belongs to a resource whose gains saturate.
class TechniqueWorld {
 public:
  using Set = std::uint32_t;  ///< Bit i: technique i is applied.
  static constexpr std::size_t kResources = 3;
  static constexpr Set bit(std::size_t t) { return Set{1} << t; }

  explicit TechniqueWorld(const WorldOptions& options);

  const WorldOptions& options() const { return options_; }
  const std::vector<TechniqueCard>& cards() const { return cards_; }
  /// One idea with a knob of 0 or 1 for each technique, for strategies without a writer. Whether a
  /// technique works is drawn only once, because nobody repairs a failure.
  std::vector<Idea> ideas() const;

  /// Speedup over the plain kernel.
  double speedup(Set set) const;
  Set best() const { return best_; }
  double best_speedup() const { return speedup(best_); }
  /// Chance that technique `t` fails when it is added to `set`.
  double failure(Set set, std::size_t t) const;
  /// Share of a resource's possible gain that the set has already reached, 0–1.
  double used(Set set, std::size_t resource) const;
  std::size_t resource(std::size_t t) const { return nodes_[t].resource; }
  bool has_what_it_needs(Set set, std::size_t t) const { return (nodes_[t].needs & ~set) == 0; }
  /// How readily a writer thinks of technique `t`; traps are thought of first.
  double taste(std::size_t t) const { return nodes_[t].taste; }
  Traits traits(Set set) const;
  /// A graph as other runs might have learnt it: steps from the start to techniques that need
  /// nothing, from each needed technique to those that need it, and every other step with a chance
  /// of a third. No step has counts yet.
  TechniqueGraph graph() const;
  Idea idea_of(Set set) const;

 private:
  struct Node {
    double gain = 0;  ///< Logarithm of the speedup.
    double failure = 0;
    double taste = 1;
    Set needs = 0;
    Set spoilt_by = 0;  ///< Techniques beside which this one gains nothing.
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

/// Options for a strategy in this world, with the world's techniques.
StrategyOptions options_in(const TechniqueWorld& world, std::uint64_t seed);

/// Runs a strategy in a world, where a simulated writer answers by random rules. It takes the
/// technique that the ask names, or chooses one: it prefers what comes to mind readily, avoids what
/// the shown history says was tried, and, if it sees a profile, avoids saturated resources. A
/// source fails with the technique's chance, less often if the writer is shown code that has the
/// technique. A repair fails less often than the first try, and now and then leaves the technique
/// out. Below a level of feedback the writer does not know what that level tells: failures (repairs
/// are then blind), losses, or saturation. The answer to ask n depends on seed, n, and earlier
/// asks.
Play play(Strategy& strategy, const TechniqueWorld& world, const PlayOptions& options,
          std::uint64_t seed = 1, FeedbackLevel feedback = FeedbackLevel::Profile);

}  // namespace kw::search
