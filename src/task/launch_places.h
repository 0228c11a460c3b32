// Where the parts of a launch stand in the source, for complaints that are found only after the
// plan was resolved.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "task/header.h"

namespace kw::task {

/// Offsets in the source, in bytes.
struct LaunchPlaces {
  std::size_t kernel = 0;  ///< The kernel's name.
  std::size_t block = 0;   ///< The first block size.
  /// The bytes of shared memory; where the launch asks for none, the kernel's name.
  std::size_t shared = 0;
  /// The arguments, counted like PlanStep::arguments: one for each item of a struct.
  std::vector<std::size_t> values;
  std::size_t end = 0;  ///< Where a further argument would stand.
};

/// The places of the launch at PlanStep::written_at; nothing where no launch stands there. Pure.
std::optional<LaunchPlaces> launch_places(const CandidateHeader& header, std::size_t written_at);

}  // namespace kw::task
