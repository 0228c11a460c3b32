// Where in its source the parts of a launch stand, for complaints that come after its plan was
// made.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "task/header.h"

namespace kw::task {

/// Bytes of the source.
struct LaunchPlaces {
  std::size_t kernel = 0;           ///< Its name.
  std::size_t block = 0;            ///< The first size.
  std::size_t shared = 0;           ///< The bytes; where none are asked for, the kernel's name.
  std::vector<std::size_t> values;  ///< As PlanStep::arguments: one for each item of a struct.
  std::size_t end = 0;              ///< Where a further argument would stand.
};

/// Of the launch at PlanStep::written_at; nothing where no launch stands there. Pure.
std::optional<LaunchPlaces> launch_places(const CandidateHeader& header, std::size_t written_at);

}  // namespace kw::task
