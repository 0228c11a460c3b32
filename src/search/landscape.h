// Surfaces to search without a device, and a synthetic one: ideas, knobs, failures, plateaus,
// noise.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "search/strategy.h"

namespace kw::search {

/// Shape of a landscape; the same options give the same surface everywhere.
struct LandscapeOptions {
  std::uint64_t seed = 1;
  int ideas = 4;
  int knobs = 3;                ///< Per idea; the first idea has none.
  int values = 6;               ///< Per knob.
  double best_speedup = 8;      ///< Of the whole landscape.
  double failure_share = 0.15;  ///< Points that fail, scattered.
  double noise = 0.01;          ///< sd of the log of a measured speedup at fidelity 1.
};

/// What a measurement there would show.
struct LandscapePoint {
  Outcome outcome = Outcome::Correct;
  double speedup = 0;  ///< Over the first idea; 0 unless correct.
};

/// What is searched without a device: ideas, and what a measurement of each would show. Pure.
class Surface {
 public:
  virtual ~Surface() = default;

  virtual const std::vector<Idea>& ideas() const = 0;
  /// Without noise.
  virtual LandscapePoint truth(int idea, const KnobPoint& knobs) const = 0;
  /// `repeat`: another measurement of the same, where there is one.
  virtual LandscapePoint measure(int idea, const KnobPoint& knobs, double fidelity,
                                 std::uint64_t repeat) const = 0;
  /// Largest true speedup.
  virtual double best() const = 0;
};

/// Deterministic: the noise of a measurement is a function of seed, idea, point, fidelity and
/// `repeat`.
class Landscape final : public Surface {
 public:
  explicit Landscape(const LandscapeOptions& options);

  /// Ideas from simple to best; some combinations of knobs are invalid, as a `require` would have
  /// it.
  const std::vector<Idea>& ideas() const override { return ideas_; }
  LandscapePoint truth(int idea, const KnobPoint& knobs) const override;
  /// With noise, larger at low fidelity as 1 / sqrt(fidelity).
  LandscapePoint measure(int idea, const KnobPoint& knobs, double fidelity = 1,
                         std::uint64_t repeat = 0) const override;
  /// By looking everywhere.
  double best() const override;

 private:
  LandscapeOptions options_;
  std::vector<Idea> ideas_;
};

struct PlayedAsk {
  Ask ask;
  Tell tell;
};

struct PlayOptions {
  std::size_t evaluations = 100;  ///< Asks answered at most, whatever their fidelity.
  std::size_t outstanding = 1;
  std::function<void(const PlayedAsk&)> on_tell{};  ///< Hears of each, in order; may be empty.
  /// Of technique worlds: what memory tells whoever writes of a technique for a kernel with this
  /// bottleneck, as a factor on how readily it is thought of; empty: nothing.
  std::function<double(const std::string& technique, Bound at)> told{};
};

/// One search on a landscape.
struct Play {
  std::vector<PlayedAsk> asks;
  double best = 0;                 ///< True speedup of the last new best.
  double spent = 0;                ///< Sum of fidelities: what a device would have paid.
  std::vector<double> best_after;  ///< `best` as it stood after each ask.
};

/// What became of an ask, by whoever stands in for proposer and referee.
struct Answer {
  Tell tell;         ///< But for its ask and its class.
  double truth = 0;  ///< Speedup without noise; 0 unless correct.
};

/// Runs a strategy on answers; tells in ask order, `outstanding` behind.
Play play(Strategy& strategy, const std::function<Answer(const Ask&)>& answer,
          const PlayOptions& options);

/// Runs a strategy on a landscape; tells in ask order, `outstanding` behind. Asks for sources are
/// answered with the landscape's ideas in turn; every third of them fails.
Play play(Strategy& strategy, const Landscape& landscape, const PlayOptions& options);

}  // namespace kw::search
