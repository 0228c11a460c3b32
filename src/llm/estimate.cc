// Bytes to tokens to dollars.
// SPDX-License-Identifier: Apache-2.0
#include "llm/estimate.h"

#include <cmath>

#include "llm/prices.h"

namespace kw::llm {
namespace {

/// Role marks and separators that a server adds around each message.
constexpr std::size_t kBytesAroundMessage = 16;

std::int64_t tokens(std::size_t bytes, double bytes_per_token) {
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(bytes) / bytes_per_token));
}

}  // namespace

std::size_t bytes_of(const ChatRequest& request) {
  std::size_t bytes = 0;
  for (const ChatMessage& message : request.messages)
    bytes += message.text.size() + kBytesAroundMessage;
  return bytes;
}

std::int64_t likely_tokens(std::size_t bytes) { return tokens(bytes, kUsualBytesPerToken); }

Usage worst_usage(const ChatRequest& request) {
  Usage usage;
  usage.prompt_tokens = tokens(bytes_of(request), kFewestBytesPerToken);
  usage.completion_tokens = request.max_tokens;
  usage.is_estimated = true;
  return usage;
}

RunEstimate estimate_run(const RunPlan& plan, const std::optional<Price>& price) {
  RunEstimate estimate;
  estimate.likely.is_estimated = estimate.worst.is_estimated = true;
  estimate.likely.prompt_tokens = plan.attempts * likely_tokens(plan.prompt_bytes);
  estimate.likely.completion_tokens = plan.attempts * plan.likely_reply_tokens;
  estimate.worst.prompt_tokens = plan.attempts * tokens(plan.prompt_bytes, kFewestBytesPerToken);
  estimate.worst.completion_tokens = plan.attempts * plan.max_tokens;
  if (price) {
    estimate.likely_usd = cost_usd(estimate.likely, *price);
    estimate.worst_usd = worst_cost_usd(estimate.worst, *price);
  }
  return estimate;
}

}  // namespace kw::llm
