// Builds for each timed shape, as `kw specialise` and `kw optimize --mode specialised` show them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/json.h"
#include "engine/specialise.h"

namespace kw::cli {

/// The result for one kernel, and where the kernel with a build for each shape was written.
struct ShapeBuilds {
  engine::Specialised result;
  std::string path;  ///< The folder of the kernel; empty: nothing was kept.
};

/// Chooses builds, which is reported on standard error shape by shape, and writes a kept result
/// with its certificate to runs/specialised/<task>-<n>, where n is the first free number. Costs as
/// much as engine::specialise.
Result<ShapeBuilds> build_for_shapes(const engine::Surroundings& s,
                                     const engine::TaskWorkbench& workbench,
                                     const Candidate& kernel,
                                     const engine::SpecialiseOptions& options);

/// The object, with keys as in docs/formats.md.
Json shape_builds_json(const ShapeBuilds& builds, const std::string& task, Target target);

/// Whether `--mode` asks for builds by shape: its values are generic and specialised, others are an
/// error.
Result<bool> wants_shape_builds(const std::string& mode);

/// The closing words, ended by a line end.
std::string shape_builds_words(const ShapeBuilds& builds);

}  // namespace kw::cli
