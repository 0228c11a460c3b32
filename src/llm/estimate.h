// Estimates how many tokens a request may take, and what a run may cost.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "record/exchange.h"

namespace kw::llm {

/// Bytes per token of prose and code in today's vocabularies: 3.5 is usual, and less than 2 happens
/// only in text of rare symbols.
inline constexpr double kUsualBytesPerToken = 3.5;
inline constexpr double kFewestBytesPerToken = 2.0;

std::size_t bytes_of(const ChatRequest& request);

/// The likely number of tokens in a text of this many bytes.
std::int64_t likely_tokens(std::size_t bytes);

/// The most tokens that a request may take: the prompt's bytes at the fewest bytes per token, and a
/// reply of max_tokens.
Usage worst_usage(const ChatRequest& request);

/// Calls of the same kind that a run is going to make.
struct ExpectedCalls {
  std::int64_t calls = 1;
  /// The number of calls if every reply that cannot be read is asked for again.
  std::int64_t worst_calls = 1;
  std::size_t prompt_bytes = 0;             ///< Bytes of a usual prompt.
  std::size_t worst_prompt_bytes = 0;       ///< Bytes of the longest prompt.
  std::int64_t likely_reply_tokens = 3000;  ///< A usual reply: a kernel with its plan.
  std::int64_t max_tokens = 16384;          ///< The bound on one reply.
};

struct CostEstimate {
  Usage likely;  ///< Summed over all calls.
  Usage worst;
  std::optional<double> likely_usd;  ///< Nothing: the price is unknown.
  std::optional<double> worst_usd;
};

/// The cost of all calls, without retries. A failed call may be charged too.
CostEstimate estimate_calls(const ExpectedCalls& plan, const std::optional<Price>& price);

/// The sum of two costs; the sum is known in dollars only where both are.
CostEstimate sum_of(const CostEstimate& a, const CostEstimate& b);
/// The cost where any one of several models may make the calls: the likely cost is the mean, the
/// worst cost that of the most expensive model. Precondition: `all` is not empty.
CostEstimate one_of(const std::vector<CostEstimate>& all);

}  // namespace kw::llm
