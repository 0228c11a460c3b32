// Estimates tokens from bytes, and dollars from tokens.
// SPDX-License-Identifier: Apache-2.0
#include "llm/estimate.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "llm/prices.h"

namespace kw::llm {
namespace {

/// Bytes of the role marks and separators that a server adds around each message.
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

CostEstimate estimate_calls(const ExpectedCalls& plan, const std::optional<Price>& price) {
  CostEstimate estimate;
  estimate.likely.is_estimated = estimate.worst.is_estimated = true;
  estimate.likely.prompt_tokens = plan.calls * likely_tokens(plan.prompt_bytes);
  estimate.likely.completion_tokens =
      plan.calls * std::min(plan.likely_reply_tokens, plan.max_tokens);
  const std::size_t longest = std::max(plan.worst_prompt_bytes, plan.prompt_bytes);
  estimate.worst.prompt_tokens = plan.worst_calls * tokens(longest, kFewestBytesPerToken);
  estimate.worst.completion_tokens = plan.worst_calls * plan.max_tokens;
  if (price) {
    estimate.likely_usd = cost_usd(estimate.likely, *price);
    estimate.worst_usd = worst_cost_usd(estimate.worst, *price);
  }
  return estimate;
}

CostEstimate sum_of(const CostEstimate& a, const CostEstimate& b) {
  const auto usd = [](const std::optional<double>& x, const std::optional<double>& y) {
    return x && y ? std::optional(*x + *y) : std::nullopt;
  };
  CostEstimate sum = a;
  for (const auto& [into, more] : {std::pair{&sum.likely, &b.likely}, {&sum.worst, &b.worst}}) {
    into->prompt_tokens += more->prompt_tokens;
    into->completion_tokens += more->completion_tokens;
  }
  sum.likely_usd = usd(a.likely_usd, b.likely_usd);
  sum.worst_usd = usd(a.worst_usd, b.worst_usd);
  return sum;
}

CostEstimate one_of(const std::vector<CostEstimate>& all) {
  KW_ASSERT(!all.empty());
  const auto count = static_cast<std::int64_t>(all.size());
  CostEstimate one = all.front();
  for (std::size_t i = 1; i < all.size(); ++i) {
    const CostEstimate sum = sum_of(one, all[i]);
    one.likely = sum.likely;
    one.likely_usd = sum.likely_usd;
    if (all[i].worst.total() > one.worst.total()) one.worst = all[i].worst;
    if (one.worst_usd && all[i].worst_usd)
      one.worst_usd = std::max(*one.worst_usd, *all[i].worst_usd);
    else
      one.worst_usd = std::nullopt;
  }
  one.likely.prompt_tokens /= count;
  one.likely.completion_tokens /= count;
  if (one.likely_usd) *one.likely_usd /= static_cast<double>(count);
  return one;
}

}  // namespace kw::llm
