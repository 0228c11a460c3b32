// The attempts of a run as the lines of a prompt.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "propose/veil.h"
#include "record/attempt.h"

namespace kw::propose {

struct HistoryLine {
  std::string text;
  bool is_gain = false;  ///< A new best of its time: dropped later than the others.
};

/// Oldest first. Neighbouring attempts of one name, which a tuner makes, are one line with their
/// best. O(attempts).
std::vector<HistoryLine> history_lines(const std::vector<AttemptLine>& history, const Veil& veil);

}  // namespace kw::propose
