// Terrain: a tuning space with the result of each of its points, on which tuners are compared by
// tests and by bench-tuners.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/rng.h"
#include "search/landscape.h"
#include "search/untried.h"

namespace kw::search {

struct Terrain {
  std::string name;
  std::string what;  ///< The terrain's structure, or how it was recorded, in one line.
  KnobSpace space;
  /// Result of a point without noise: its speedup over the first point, or how it fails. Pure.
  std::function<LandscapePoint(const KnobPoint&)> truth;
  double noise = 0.01;  ///< sd of the log of a measured speedup at fidelity 1.
  double best = 1;      ///< Largest true speedup.
};

/// Names of the families of synthetic terrains.
inline const std::vector<std::string>& terrain_families();
/// One member of a family; the seed moves its optimum and weights. Precondition: `family` is a
/// family's name.
inline Terrain make_terrain(std::string_view family, Seed seed);

/// Parses a recorded landscape, format 1 of bench/landscapes/: docs/search.md.
inline Result<Terrain> parse_terrain(std::string_view json);

/// Result of one tuner on one terrain.
struct TunerRun {
  /// Number of asks until a point near the best was measured in full.
  std::optional<std::size_t> reached;
  std::size_t asked = 0;  ///< Number of asks until the tuner ended or was stopped.
  double spent = 0;       ///< Sum of the fidelities of all asks.
};

struct TunerRunOptions {
  Seed noise;              ///< Seed of the measurements' noise.
  double within = 0.02;    ///< How near to the best a point must be, as a share of the best.
  std::size_t most = 400;  ///< Limit of asks.
  std::size_t outstanding = 1;
  bool stops_when_reached = false;
};

/// Runs a tuner on a terrain. The tuner is told noisy speedups, but whether it has reached the best
/// is judged by the true ones.
inline TunerRun run_tuner(Strategy& tuner, const Terrain& terrain, const TunerRunOptions& options);

/// A job that starts from a random working point that is not already near the best; from the first
/// valid point if there is none.
inline TuningJob job_on(const Terrain& terrain, Seed seed,
                        double within = TunerRunOptions{}.within);

namespace terrains {

/// A smooth slope towards an optimum, on knobs whose values double.
struct Slope {
  // Weight of each knob's squared distance from the optimum, in units of log speed.
  std::vector<double> weight;
  std::vector<int> optimum;  // by knob: the index of the best value
};

inline std::vector<KnobAxis> doubling_knobs(std::size_t count, int values) {
  std::vector<KnobAxis> knobs;
  for (std::size_t k = 0; k < count; ++k) {
    KnobAxis knob{fmt::format("K{}", k), {}};
    for (int v = 0; v < values; ++v) knob.values.push_back(std::int64_t{1} << v);
    knobs.push_back(std::move(knob));
  }
  return knobs;
}

inline int place_of(std::int64_t power_of_two) {
  return static_cast<int>(std::lround(std::log2(static_cast<double>(power_of_two))));
}

inline Slope random_slope(std::size_t knobs, int values, Rng& rng) {
  Slope slope;
  for (std::size_t k = 0; k < knobs; ++k) {
    slope.weight.push_back(rng.uniform(0.2, 1.5));
    slope.optimum.push_back(static_cast<int>(rng.between(1, values - 1)));
  }
  return slope;
}

// A point's distances from the optimum, as shares of each knob's range, sorted by the knobs' names.
inline std::vector<double> offsets(const KnobPoint& point, const Slope& slope, int values) {
  std::vector<double> result;
  for (std::size_t k = 0; k < slope.optimum.size(); ++k)
    result.push_back(
        static_cast<double>(place_of(point.at(fmt::format("K{}", k))) - slope.optimum[k]) /
        (values - 1));
  return result;
}

inline double falls(const std::vector<double>& offset, const Slope& slope) {
  double sum = 0;
  for (std::size_t k = 0; k < offset.size(); ++k) sum += slope.weight[k] * offset[k] * offset[k];
  return -sum;
}

inline LandscapePoint correct(double log_speedup) {
  return {Outcome::Correct, std::exp(log_speedup)};
}

inline Terrain separable(Seed seed) {
  constexpr std::size_t kKnobs = 5;
  constexpr int kValues = 6;
  Rng rng(seed);
  const Slope slope = random_slope(kKnobs, kValues, rng);
  return {"separable", "5 knobs of 6 values, each with its own optimum",
          KnobSpace(doubling_knobs(kKnobs, kValues)), [slope](const KnobPoint& p) {
            return correct(falls(offsets(p, slope, kValues), slope));
          }};
}

// Speed on a terrain where neighbouring knobs must fit together, as the sides of a register block
// must.
inline LandscapePoint ridge(const KnobPoint& p, const Slope& slope, int values) {
  const std::vector<double> offset = offsets(p, slope, values);
  double together = 0;
  for (std::size_t k = 0; k + 1 < offset.size(); ++k)
    together += 2.5 * (offset[k] + offset[k + 1]) * (offset[k] + offset[k + 1]);
  return correct(0.4 * falls(offset, slope) - together);
}

inline Terrain interacting(Seed seed) {
  constexpr std::size_t kKnobs = 4;
  constexpr int kValues = 8;
  Rng rng(seed);
  const Slope slope = random_slope(kKnobs, kValues, rng);
  return {"interacting", "4 knobs of 8 values on a narrow oblique ridge",
          KnobSpace(doubling_knobs(kKnobs, kValues)),
          [slope](const KnobPoint& p) { return ridge(p, slope, kValues); }};
}

inline Terrain noisy(Seed seed) {
  Terrain terrain = interacting(seed);
  terrain.name = "noisy";
  terrain.what = "interacting, measured with an sd of 5 %";
  terrain.noise = 0.05;
  return terrain;
}

// A terrain where larger values are faster until they no longer fit, which shows only when a point
// is tried; a `require` excludes a corner as well.
inline Terrain cliff(Seed seed) {
  constexpr std::size_t kKnobs = 4;
  constexpr int kValues = 7;
  Rng rng(seed);
  const Slope slope = random_slope(kKnobs, kValues, rng);
  const int fits = 9 + static_cast<int>(rng.below(5));
  const auto places = [](const KnobPoint& p) {
    std::vector<int> result;
    for (const auto& [name, value] : p) result.push_back(place_of(value));
    return result;
  };
  return {"cliff", "4 knobs of 7 values; faster up to an edge behind which everything fails",
          KnobSpace(doubling_knobs(kKnobs, kValues),
                    [places](const KnobPoint& p) {
                      const std::vector<int> at = places(p);
                      return at[0] + at[1] >= 2;
                    }),
          [=](const KnobPoint& p) -> LandscapePoint {
            const std::vector<int> at = places(p);
            double sum = 0;
            double used = 0;
            for (std::size_t k = 0; k < at.size(); ++k) {
              used += at[k];
              sum += slope.weight[k] * at[k] / (kValues - 1);
            }
            if (used > fits) return {Outcome::OutOfResources, 0};
            return correct(sum);
          }};
}

// A terrain where two knobs select methods, which have no order; each method has its own best
// sizes.
inline Terrain categories(Seed seed) {
  constexpr int kMethods = 6;
  constexpr int kValues = 6;
  std::vector<KnobAxis> knobs = doubling_knobs(3, kValues);
  for (const char* name : {"M0", "M1"}) {
    KnobAxis knob{name, {}};
    for (int v = 0; v < kMethods; ++v) knob.values.push_back(v);
    knobs.push_back(std::move(knob));
  }
  Rng rng(seed);
  std::vector<double> worth;
  for (int i = 0; i < 2 * kMethods; ++i) worth.push_back(rng.uniform(0, 0.7));
  std::vector<Slope> slopes;
  const Slope common = random_slope(3, kValues, rng);
  for (int i = 0; i < kMethods; ++i) {
    Slope own = common;
    const auto moved = static_cast<std::size_t>(rng.below(3));
    own.optimum[moved] = static_cast<int>(rng.between(0, kValues - 1));
    slopes.push_back(std::move(own));
  }
  return {"categories", "2 knobs that name methods, 3 sizes whose optimum depends on the method",
          KnobSpace(std::move(knobs)), [=](const KnobPoint& p) {
            const auto first = static_cast<std::size_t>(p.at("M0"));
            const auto second = static_cast<std::size_t>(p.at("M1"));
            return correct(worth[first] + worth[kMethods + second] +
                           falls(offsets(p, slopes[first], kValues), slopes[first]));
          }};
}

// A terrain that is mostly flat; its good part is a small valley with an optimum of its own.
inline Terrain plateau(Seed seed) {
  constexpr std::size_t kKnobs = 4;
  constexpr int kValues = 6;
  Rng rng(seed);
  const Slope slope = random_slope(kKnobs, kValues, rng);
  return {"plateau", "4 knobs of 6 values; flat but for a basin around the optimum",
          KnobSpace(doubling_knobs(kKnobs, kValues)), [slope](const KnobPoint& p) {
            return correct(std::max(-0.35, falls(offsets(p, slope, kValues), slope)));
          }};
}

inline Terrain vast(Seed seed) {
  constexpr std::size_t kKnobs = 9;
  constexpr int kValues = 10;
  Rng rng(seed);
  const Slope slope = random_slope(kKnobs, kValues, rng);
  return {"vast", "9 knobs of 10 values: 10^9 points, of which a `require` takes a tenth",
          KnobSpace(doubling_knobs(kKnobs, kValues),
                    [slope](const KnobPoint& p) {
                      return place_of(p.at("K8")) != (slope.optimum[8] + 3) % kValues;
                    }),
          [slope](const KnobPoint& p) {
            const std::vector<double> offset = offsets(p, slope, kValues);
            double across = 0;
            for (std::size_t k = 0; k + 1 < offset.size(); k += 2)
              across += 0.3 * offset[k] * offset[k + 1];
            return correct(falls(offset, slope) - across);
          }};
}

struct Family {
  std::string name;
  Terrain (*make)(Seed);
};

inline const std::vector<Family>& families() {
  static const std::vector<Family> all{
      {"separable", separable},   {"interacting", interacting}, {"noisy", noisy}, {"cliff", cliff},
      {"categories", categories}, {"plateau", plateau},         {"vast", vast}};
  return all;
}

// Makes speedups relative to the first point, and finds the largest one.
inline void calibrate(Terrain& terrain) {
  const double first = terrain.truth(terrain.space.first()).speedup;
  KW_ASSERT(first > 0);
  terrain.truth = [inner = std::move(terrain.truth), first](const KnobPoint& p) {
    LandscapePoint point = inner(p);
    point.speedup /= first;
    return point;
  };
  // If the space is too large to look at every point, the optimum has log speed 0 by construction.
  constexpr std::uint64_t kListed = 1 << 16;
  terrain.best = 1 / first;
  if (terrain.space.size() > kListed) return;
  terrain.best = 1;
  for (const KnobPoint& p : terrain.space.valid_points(kListed))
    terrain.best = std::max(terrain.best, terrain.truth(p).speedup);
}

}  // namespace terrains

inline const std::vector<std::string>& terrain_families() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const terrains::Family& family : terrains::families()) result.push_back(family.name);
    return result;
  }();
  return names;
}

inline Terrain make_terrain(std::string_view family, Seed seed) {
  const auto found = std::find_if(terrains::families().begin(), terrains::families().end(),
                                  [&](const terrains::Family& f) { return f.name == family; });
  KW_ASSERT(found != terrains::families().end());
  Terrain terrain = found->make(seed);
  terrains::calibrate(terrain);
  return terrain;
}

inline Result<Terrain> parse_terrain(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  try {
    if (json.is_discarded() || json.at("format") != 1)
      return fail(ErrorCode::Malformed, About{"format"},
                  "the file is not a recorded landscape of format 1");
    std::vector<KnobAxis> knobs;
    for (const auto& knob : json.at("knobs"))
      knobs.push_back({knob.at("name"), knob.at("values").get<std::vector<std::int64_t>>()});
    // Each entry is null where a combination does not exist, and otherwise a time or the name of a
    // failure.
    std::vector<std::optional<LandscapePoint>> points;
    for (const auto& entry : json.at("points")) {
      std::optional<LandscapePoint>& point = points.emplace_back();
      if (entry.is_number()) point = {Outcome::Correct, 1 / entry.get<double>()};
      if (entry.is_string()) {
        const auto outcome = enum_from<Outcome>(entry.get<std::string>());
        if (!outcome)
          return fail(ErrorCode::Malformed, About{entry.get<std::string>()},
                      fmt::format("no outcome '{}'", entry.get<std::string>()));
        point = {*outcome, 0};
      }
    }
    const KnobSpace numbering(knobs);
    if (numbering.size() != points.size())
      return fail(ErrorCode::Malformed, About{"points"},
                  fmt::format("{} points of {}", points.size(), numbering.size()));
    const auto at = [numbering,
                     points](const KnobPoint& p) -> const std::optional<LandscapePoint>& {
      return points[static_cast<std::size_t>(numbering.number_of(p))];
    };
    Terrain terrain{
        json.at("name"),
        fmt::format("{} ({}; {})", json.at("how").get<std::string>(),
                    json.at("machine").get<std::string>(), json.at("date").get<std::string>()),
        KnobSpace(std::move(knobs), [at](const KnobPoint& p) { return at(p).has_value(); }),
        [at](const KnobPoint& p) { return *at(p); }};
    if (terrain.truth(terrain.space.first()).speedup <= 0)
      return fail(ErrorCode::Malformed, About{"first point"},
                  "the first point of the recorded landscape fails");
    terrains::calibrate(terrain);
    return terrain;
  } catch (const nlohmann::json::exception& e) {
    return fail(ErrorCode::Malformed, About{"json"},
                fmt::format("a recorded landscape: {}", e.what()));
  }
}

inline TuningJob job_on(const Terrain& terrain, Seed seed, double within) {
  TuningJob job;
  job.space = &terrain.space;
  job.seed = seed;
  Rng rng(seed.child("start"));
  Untried untried(terrain.space);
  while (auto point = untried.draw(rng)) {
    untried.take(*point);
    const double speedup = terrain.truth(*point).speedup;
    if (speedup <= 0 || speedup >= (1 - within) * terrain.best) continue;
    job.start = std::move(*point);
    job.start_merit = speedup;
    return job;
  }
  job.start = terrain.space.first();
  job.start_merit = terrain.truth(job.start).speedup;
  return job;
}

inline TunerRun run_tuner(Strategy& tuner, const Terrain& terrain, const TunerRunOptions& options) {
  Rng rng(options.noise);
  TunerRun run;
  std::deque<Ask> waiting;
  while (true) {
    while (waiting.size() < options.outstanding && run.asked < options.most) {
      auto ask = tuner.ask();
      if (!ask) break;
      ++run.asked;
      waiting.push_back(std::move(*ask));
    }
    if (waiting.empty()) return run;
    const Ask ask = std::move(waiting.front());
    waiting.pop_front();
    const LandscapePoint point = terrain.truth(ask.knobs);
    Tell tell;
    tell.ask = ask.id;
    tell.outcome = point.outcome;
    tell.outcome_class = tell.is_correct() ? OutcomeClass::NoGain : OutcomeClass::Failed;
    const double deviation = terrain.noise / std::sqrt(ask.fidelity);
    constexpr double kDeviations = 2.81;  // half the width of a 99.5 % interval, in deviations
    tell.speedup.value = tell.reward = tell.merit =
        point.speedup * std::exp(deviation * rng.normal());
    tell.speedup.low = tell.speedup.value * std::exp(-kDeviations * deviation);
    tell.speedup.high = tell.speedup.value * std::exp(kDeviations * deviation);
    tuner.tell(tell);
    run.spent += ask.fidelity;
    if (run.reached || ask.fidelity < 1) continue;
    if (point.speedup >= (1 - options.within) * terrain.best) {
      run.reached = run.asked;
      if (options.stops_when_reached) return run;
    }
  }
}

}  // namespace kw::search
