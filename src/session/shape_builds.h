// Specialises a kernel, with its own build for each timed shape, for `kw specialise` and `kw
// optimize --mode specialised`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "base/json.h"
#include "engine/specialise.h"

namespace kw::session {

/// The result of specialising one kernel, and where the specialised kernel was written.
struct ShapeBuilds {
  engine::Specialised result;
  std::string path;  ///< The folder of the kernel; empty: nothing was kept.
};

/// Chooses builds, tells the choices line by line, and writes a kept result with its certificate to
/// runs/specialised/<task>-<n>, where n is the first free number. Costs as much as
/// engine::specialise.
Result<ShapeBuilds> build_for_shapes(const engine::Surroundings& s,
                                     const engine::TaskWorkbench& workbench,
                                     const Candidate& kernel,
                                     const engine::SpecialiseOptions& options,
                                     const std::function<void(const std::string&)>& tell);

/// The JSON object about the builds for each shape, with keys as in docs/formats.md.
Json shape_builds_json(const ShapeBuilds& builds, const std::string& task, Target target);

/// The closing lines for people about the builds for each shape; the last ends with a line break.
std::string shape_builds_words(const ShapeBuilds& builds);

}  // namespace kw::session
