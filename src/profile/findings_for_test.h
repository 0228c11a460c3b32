// Findings in short, so that tests name rules and numbers and never the words of a text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "record/finding_for_test.h"

namespace kw::profile {

/// One line for each finding: its name and its numbers with four digits, "spill in loop: 134 5".
inline std::string in_short(const std::vector<Finding>& findings) {
  std::string all;
  for (const Finding& f : findings) {
    all += f.about + ":";
    for (const double number : f.numbers) all += fmt::format(" {:.4g}", number);
    all += "\n";
  }
  return all;
}

}  // namespace kw::profile
