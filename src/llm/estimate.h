// How many tokens a request may take, before anybody has counted them; and what a run may cost.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "record/exchange.h"

namespace kw::llm {

/// Bytes per token of prose and code in today's vocabularies: 3.5 is usual; 2 is a bound that only
/// text of rare symbols breaks.
inline constexpr double kUsualBytesPerToken = 3.5;
inline constexpr double kFewestBytesPerToken = 2.0;

std::size_t bytes_of(const ChatRequest& request);

/// A likely count for so many bytes, marked as an estimate.
std::int64_t likely_tokens(std::size_t bytes);

/// The most that a request may take: its bytes at the fewest per token, max_tokens of reply.
Usage worst_usage(const ChatRequest& request);

/// What a run is going to ask for.
struct RunPlan {
  std::size_t prompt_bytes = 0;             ///< Of one prompt.
  std::int64_t attempts = 1;                ///< Model calls, repairs included.
  std::int64_t likely_reply_tokens = 3000;  ///< A kernel with its plan.
  std::int64_t max_tokens = 16384;          ///< Bound on one reply.
};

struct RunEstimate {
  Usage likely;  ///< Summed over all calls.
  Usage worst;
  std::optional<double> likely_usd;  ///< None: price unknown.
  std::optional<double> worst_usd;
};

/// Without retries: a call that fails may be charged too.
RunEstimate estimate_run(const RunPlan& plan, const std::optional<Price>& price);

}  // namespace kw::llm
