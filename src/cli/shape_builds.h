// A build for each timed shape, as `kw specialise` and `kw optimize --mode specialised` tell of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/json.h"
#include "engine/specialise.h"

namespace kw::cli {

/// What became of one kernel, and where the one with a build for each shape was written.
struct ShapeBuilds {
  engine::Specialised result;
  std::string path;  ///< Empty: nothing was kept.
};

/// Chooses, which is told on standard error shape by shape, and writes what is kept to
/// runs/specialised/<task>-<n>, n the first number free, with its certificate. Costs as
/// engine::specialise.
Result<ShapeBuilds> build_for_shapes(const engine::Surroundings& s,
                                     const engine::TaskWorkbench& workbench,
                                     const Candidate& kernel,
                                     const engine::SpecialiseOptions& options);

/// Keys as in docs/formats.md.
Json shape_builds_json(const ShapeBuilds& builds, const std::string& task, Target target);

/// Whether `--mode` asks for it: generic or specialised, or an error.
Result<bool> wants_shape_builds(const std::string& mode);

/// Closing words, ended by a line end.
std::string shape_builds_words(const ShapeBuilds& builds);

}  // namespace kw::cli
