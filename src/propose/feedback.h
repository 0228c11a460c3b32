// What became of the parent, in words for whoever is to mend or improve it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "propose/proposer.h"
#include "propose/veil.h"

namespace kw::propose {

struct Feedback {
  std::string verdict;            ///< One or two sentences.
  std::vector<Finding> findings;  ///< Most important first, ranks from 1, hidden shapes covered.
  std::string change_words;       ///< What the parent and the attempt before it reached.
  std::string change;  ///< A diff of the two sources; empty: there is none or it is unknown.
};

/// Failed parents get what explains the failure and nothing about speed; correct ones get ceilings,
/// advice, loops that stayed scalar and the worst shape. Empty without a parent.
Feedback feedback_of(const Situation& situation, const Veil& veil);

}  // namespace kw::propose
