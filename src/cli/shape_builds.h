// Specialises a kernel, with its own build for each timed shape, for `kw specialise` and `kw
// optimize --mode specialised`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/json.h"
#include "engine/specialise.h"

namespace kw::cli {

/// The result of specialising one kernel, and where the specialised kernel was written.
struct ShapeBuilds {
  engine::Specialised result;
  std::string path;  ///< The folder of the specialised kernel; empty: none was written.
};

/// Chooses a build for each shape and reports each choice on standard error. If the specialised
/// kernel is kept, writes it with its certificate to runs/specialised/<task>-<n>, where n is the
/// first free number. Costs as much as engine::specialise.
Result<ShapeBuilds> build_for_shapes(const engine::Surroundings& s,
                                     const engine::TaskWorkbench& workbench,
                                     const Candidate& kernel,
                                     const engine::SpecialiseOptions& options);

/// The JSON object about the builds for each shape, with keys as in docs/formats.md.
Json shape_builds_json(const ShapeBuilds& builds, const std::string& task, Target target);

/// Whether `--mode` asks for a build for each shape: true for specialised, false for generic; other
/// values are an error.
Result<bool> wants_shape_builds(const std::string& mode);

/// The closing lines for people about the builds for each shape; the last ends with a line break.
std::string shape_builds_words(const ShapeBuilds& builds);

}  // namespace kw::cli
