// One tuning space with what each of its points shows: what tuners are compared on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "search/landscape.h"

namespace kw::search {

struct Terrain {
  std::string name;
  std::string what;  ///< Its structure, or how and where it was recorded; one line.
  KnobSpace space;
  /// Speedup over the first point, or the fate of a point that fails. Pure.
  std::function<LandscapePoint(const KnobPoint&)> truth;
  double noise = 0.01;  ///< sd of the log of a measured speedup at fidelity 1.
  double best = 1;      ///< Largest true speedup.
};

/// Names of the families with known structure.
const std::vector<std::string>& terrain_families();
/// One member of a family; the seed moves its optimum and weights. Precondition: a family's name.
Terrain make_terrain(std::string_view family, Seed seed);

/// A recorded landscape, format 1 of bench/landscapes/: docs/search.md.
Result<Terrain> parse_terrain(std::string_view json);

/// One tuner on one terrain.
struct Trial {
  std::optional<std::size_t> reached;  ///< Asks until a point near the best was measured in full.
  std::size_t asked = 0;               ///< Until it ended, or was stopped.
  double spent = 0;                    ///< Sum of fidelities.
};

struct TrialOptions {
  Seed noise;              ///< Of the measurements.
  double within = 0.02;    ///< How near to the best: a share of it.
  std::size_t most = 400;  ///< Asks.
  std::size_t outstanding = 1;
  bool stops_when_reached = false;
};

/// The tuner is told noisy speedups; whether it has reached the best is judged by true ones.
Trial run_trial(Strategy& tuner, const Terrain& terrain, const TrialOptions& options);

/// A job that starts from a working point by lot that is not near the best already; from the first
/// valid point where there is none.
TuningJob job_on(const Terrain& terrain, Seed seed, double within = TrialOptions{}.within);

}  // namespace kw::search
