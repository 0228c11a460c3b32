// Interprets the launches of a host function.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "import/host_program.h"

namespace kw::import {

struct HostParts;

/// Reads launches, and records them with their grid, block and arguments.
class LaunchReader {
 public:
  explicit LaunchReader(HostParts& all) : all_(all) {}

  /// Interprets `name<<<…>>>(…)` whose `<<<` is at the cursor.
  Value launch(const std::string& name, const std::vector<std::string>& templates,
               std::size_t offset);
  /// Records a launch whose kernel and arguments are known.
  void add_launch(Step step, const Value& grid, const Value& block, const Value& shared);

 private:
  std::vector<Size> shape(const Value& value, std::string_view about, std::size_t offset);

  HostParts& all_;
};

}  // namespace kw::import
