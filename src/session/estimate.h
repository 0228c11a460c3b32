// Estimates what a run with models may cost, before it starts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "llm/estimate.h"
#include "llm/spec.h"
#include "session/first_prompt.h"
#include "session/options.h"

namespace kw::session {

struct EstimateRequest {
  std::string strategy;
  std::vector<llm::ModelSpec> models;
  std::int64_t attempts = 20;  ///< Attempts that are written, repairs included.
  std::int64_t shortlist = 1;  ///< Kernels written for each attempt.
  std::int64_t reply_tokens = kReplyTokens;
  std::int64_t prompt_tokens = kPromptTokens;
  /// Bytes of the first prompt; 0: as many as the prompt for `first` has.
  std::size_t prompt_bytes = 0;
  FirstPromptRequest first{};  ///< The run's start; read only where `prompt_bytes` is 0.
};

/// What one model may cost.
struct ModelEstimate {
  llm::ModelSpec spec;
  std::optional<Price> price;  ///< Nothing: the price is unknown.
  std::int64_t calls = 0;
  llm::CostEstimate cost;
};

struct Estimate {
  std::size_t prompt_bytes = 0;
  /// Upper bound on a prompt's bytes, unless the task and the parent kernel alone are longer.
  std::size_t longest_prompt_bytes = 0;
  std::int64_t longest_prompt_tokens = 0;  ///< Upper bound on the tokens of a prompt.
  std::vector<ModelEstimate> models;       ///< In the order of the request.
  llm::CostEstimate total;
};

/// Estimates the cost of a run. Asks no model; where the first prompt must be built, as
/// build_first_prompt(). Errors: the strategy asks no model or not in such a role, or no model
/// writes.
Result<Estimate> estimate_cost(const Options& options, const EstimateRequest& request);

}  // namespace kw::session
