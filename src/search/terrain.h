// Terrain: a tuning space with the result of each of its points, on which tuners are compared.
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
  std::string what;  ///< The terrain's structure, or how it was recorded, in one line.
  KnobSpace space;
  /// Result of a point without noise: its speedup over the first point, or how it fails. Pure.
  std::function<LandscapePoint(const KnobPoint&)> truth;
  double noise = 0.01;  ///< sd of the log of a measured speedup at fidelity 1.
  double best = 1;      ///< Largest true speedup.
};

/// Names of the families of synthetic terrains.
const std::vector<std::string>& terrain_families();
/// One member of a family; the seed moves its optimum and weights. Precondition: `family` is a
/// family's name.
Terrain make_terrain(std::string_view family, Seed seed);

/// Parses a recorded landscape, format 1 of bench/landscapes/: docs/search.md.
Result<Terrain> parse_terrain(std::string_view json);

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
TunerRun run_tuner(Strategy& tuner, const Terrain& terrain, const TunerRunOptions& options);

/// A job that starts from a random working point that is not already near the best; from the first
/// valid point if there is none.
TuningJob job_on(const Terrain& terrain, Seed seed, double within = TunerRunOptions{}.within);

}  // namespace kw::search
