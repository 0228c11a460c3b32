// How many tokens a request may take, before anybody has counted them; and what a run may cost.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

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

/// Equal calls that a run is going to make.
struct CallPlan {
  std::int64_t calls = 1;
  std::int64_t worst_calls = 1;             ///< Where replies that cannot be read are asked again.
  std::size_t prompt_bytes = 0;             ///< Of one prompt.
  std::size_t worst_prompt_bytes = 0;       ///< Of the longest.
  std::int64_t likely_reply_tokens = 3000;  ///< A kernel with its plan.
  std::int64_t max_tokens = 16384;          ///< Bound on one reply.
};

struct CostEstimate {
  Usage likely;  ///< Summed over all calls.
  Usage worst;
  std::optional<double> likely_usd;  ///< None: price unknown.
  std::optional<double> worst_usd;
};

/// Without retries: a call that fails may be charged too.
CostEstimate estimate_calls(const CallPlan& plan, const std::optional<Price>& price);

/// Of both together; dollars are known where both are.
CostEstimate sum_of(const CostEstimate& a, const CostEstimate& b);
/// Where one of several makes the calls and nobody knows which: likely the mean of them, at worst
/// the dearest. Precondition: there is one.
CostEstimate one_of(const std::vector<CostEstimate>& all);

}  // namespace kw::llm
