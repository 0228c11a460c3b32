// Surfaces that can be searched without a device, and a synthetic one with ideas, knobs, failures,
// plateaus and noise.
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
  int knobs = 3;                ///< Knobs of each idea except the first, which has none.
  int values = 6;               ///< Values of each knob.
  double best_speedup = 8;      ///< Largest speedup of the whole landscape.
  double failure_share = 0.15;  ///< Share of points that fail, scattered over the space.
  double noise = 0.01;          ///< sd of the log of a measured speedup at fidelity 1.
};

/// What a measurement of a point would show.
struct LandscapePoint {
  Outcome outcome = Outcome::Correct;
  double speedup = 0;  ///< Speedup over the first idea; 0 unless correct.
};

/// Ideas that are searched without a device, and what a measurement of each would show. Pure.
class Surface {
 public:
  virtual ~Surface() = default;

  virtual const std::vector<Idea>& ideas() const = 0;
  /// The result of a measurement without noise.
  virtual LandscapePoint truth(int idea, const KnobPoint& knobs) const = 0;
  /// The result of a noisy measurement. `repeat` numbers repeated measurements of the same point.
  virtual LandscapePoint measure(int idea, const KnobPoint& knobs, double fidelity,
                                 std::uint64_t repeat) const = 0;
  /// The largest speedup of the surface, without noise.
  virtual double best() const = 0;
};

/// A synthetic surface. Deterministic: the noise of a measurement is a function of seed, idea,
/// point, fidelity and `repeat`.
class Landscape final : public Surface {
 public:
  explicit Landscape(const LandscapeOptions& options);

  /// Ideas from simple to best. Some combinations of knobs are invalid, as with a `require` line.
  const std::vector<Idea>& ideas() const override { return ideas_; }
  LandscapePoint truth(int idea, const KnobPoint& knobs) const override;
  /// The result with noise, which grows at low fidelity as 1 / sqrt(fidelity).
  LandscapePoint measure(int idea, const KnobPoint& knobs, double fidelity = 1,
                         std::uint64_t repeat = 0) const override;
  /// Largest speedup, found by looking at every point.
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
  /// Number of asks that are answered at most, whatever their fidelity.
  std::size_t evaluations = 100;
  std::size_t outstanding = 1;
  /// Called for each tell, in order; may be empty.
  std::function<void(const PlayedAsk&)> on_tell{};
  /// For technique worlds: a factor on how readily the writer thinks of a technique for a kernel
  /// with this bottleneck, as memory suggests it; empty: memory suggests nothing.
  std::function<double(const std::string& technique, Bound at)> told{};
};

/// Record of one search on a landscape.
struct Play {
  std::vector<PlayedAsk> asks;
  double best = 0;                 ///< True speedup of the last new best.
  double spent = 0;                ///< Sum of the fidelities of all asks.
  std::vector<double> best_after;  ///< By ask: the value of `best` after it.
};

/// The answer to an ask, from whatever replaces proposer and referee in a simulation.
struct Answer {
  Tell tell;         ///< Complete except for its ask and its class.
  double truth = 0;  ///< Speedup without noise; 0 unless correct.
};

/// Runs a strategy on given answers, with `outstanding` asks in flight; tells are in the order of
/// asks.
Play play(Strategy& strategy, const std::function<Answer(const Ask&)>& answer,
          const PlayOptions& options);

/// Runs a strategy on a landscape, with `outstanding` asks in flight; tells are in the order of
/// asks. Asks for sources are answered with the landscape's ideas in turn; every third of them
/// fails.
Play play(Strategy& strategy, const Landscape& landscape, const PlayOptions& options);

}  // namespace kw::search
