// The life of one attempt of a run: who asked for it and why, what became of it, what it cost.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "record/attempt.h"
#include "record/order.h"
#include "record/proposal.h"

namespace kw::cli {

struct Life {
  RunSummary run;
  Attempt attempt;                         ///< With its source.
  std::optional<Attempt> parent;           ///< With its source.
  std::vector<Order> orders;               ///< In force when it was asked.
  std::optional<Reading> told;             ///< What a judge had read in its parent.
  std::optional<Reading> reading;          ///< What a judge read in it.
  std::vector<Exchange> exchanges;         ///< With models, that led to it.
  Spending spent;                          ///< Of these.
  std::vector<AttemptLine> made_from;      ///< Attempts that derive from it.
  std::optional<Attempt> next;             ///< The first that was asked knowing its outcome.
  std::optional<Evaluation> confirmation;  ///< The last of it.
};

/// One page in words.
std::string page_of(const Life& life);

/// The object of `kw explain --json`.
nlohmann::json life_json(const Life& life);

}  // namespace kw::cli
