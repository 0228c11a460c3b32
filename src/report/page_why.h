// Writes the section of a page on why a run has no confirmed win.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>

#include "record/attempt.h"

namespace kw::report {

/// Counts how the attempts of a run ended, by stage and outcome. Its size does not grow with the
/// number of attempts.
struct EndTally {
  struct End {
    int count = 0;
    int first = 0;      ///< Number of the first attempt with this ending.
    std::string words;  ///< The message about the first attempt with this ending.
  };
  std::map<std::pair<Stage, Outcome>, End> ends;

  void add(const AttemptLine& line);
};

}  // namespace kw::report
