// Interprets the switches of a host function.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "import/host_paths.h"
#include "import/host_program.h"

namespace kw::import {

struct HostParts;

/// Interprets `switch`: the chosen case where it is known; else what any case may change is
/// unknown.
class SwitchReader {
 public:
  explicit SwitchReader(HostParts& all) : all_(all) {}

  /// Interprets the switch whose parts begin at these tokens.
  Flow read(std::size_t keyword, std::size_t open, std::size_t close, std::size_t body,
            std::size_t end);

 private:
  HostParts& all_;
};

}  // namespace kw::import
