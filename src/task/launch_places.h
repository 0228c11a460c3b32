// Where the parts of a launch stand in the source, for complaints that arise only after the launch
// plan was resolved.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "task/header.h"

namespace kw::task {

/// Byte offsets, in the source, of the parts of one `launch` directive.
struct LaunchPlaces {
  std::size_t kernel = 0;  ///< The kernel's name.
  std::size_t block = 0;   ///< The first block size.
  /// The size of shared memory; if the launch has none, the kernel's name.
  std::size_t shared = 0;
  /// The arguments, indexed like PlanStep::arguments: each item of a struct counts.
  std::vector<std::size_t> values;
  std::size_t end = 0;  ///< Where a further argument would stand.
};

/// The offsets of the launch that begins at byte PlanStep::written_at; nothing if no launch begins
/// there. No side effects.
std::optional<LaunchPlaces> launch_places(const CandidateHeader& header, std::size_t written_at);

}  // namespace kw::task
