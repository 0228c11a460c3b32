// Describes the result of the parent attempt for the writer who is to repair or improve it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "propose/proposer.h"
#include "propose/veil.h"

namespace kw::propose {

struct Feedback {
  std::string verdict;            ///< What became of the parent, in one or two sentences.
  std::vector<Finding> findings;  ///< Most important first; hidden shapes are removed.
  std::string change_words;       ///< Results of the parent and of the attempt before it.
  std::string change;             ///< A diff of their sources; empty: none, or unknown.
};

/// Describes the parent's result. A failed parent gets what explains the failure and nothing about
/// speed; a correct one gets ceilings, advice, loops that were not vectorised, and the slowest
/// shape. Empty where there is no parent.
Feedback feedback_of(const Situation& situation, const Veil& veil);

}  // namespace kw::propose
