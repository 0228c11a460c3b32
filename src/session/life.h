// The facts about one attempt of a run: who asked for it and why, how it ended, what it cost.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/attempt.h"
#include "record/order.h"
#include "record/proposal.h"
#include "session/options.h"

namespace kw::session {

struct Life {
  RunSummary run;
  Attempt attempt;                ///< The attempt with its source.
  std::optional<Attempt> parent;  ///< The attempt's parent with its source.
  std::vector<Order> orders;      ///< Orders in force when the attempt was asked for.
  std::optional<Reading> told;    ///< A judge's reading of the parent, where the prompt showed one.
  std::optional<Reading> reading;      ///< A judge's reading of this attempt.
  std::vector<Exchange> exchanges;     ///< Exchanges with models that led to the attempt.
  Spending spent;                      ///< What the exchanges with models cost.
  std::vector<AttemptLine> made_from;  ///< Attempts whose parent is the attempt.
  /// The first attempt that the strategy requested after it knew the outcome of the explained
  /// attempt.
  std::optional<Attempt> next;
  std::optional<Evaluation> confirmation;  ///< The last confirmation of the attempt.
};

/// Reads the life of an attempt from the store. Error: no such run or attempt.
Result<Life> life_of(const Options& options, const std::string& run, int number);

}  // namespace kw::session
