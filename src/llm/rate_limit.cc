// Counts the requests and tokens of the last minute.
// SPDX-License-Identifier: Apache-2.0
#include "llm/rate_limit.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "llm/estimate.h"
#include "llm/waiting.h"

namespace kw::llm {
namespace {

constexpr std::int64_t kMinuteNs = 60'000'000'000;
/// The shortest wait that is reported to the user.
constexpr std::chrono::seconds kWorthSaying{2};

}  // namespace

RateLimitModel::RateLimitModel(std::unique_ptr<ChatModel> inner, RateLimits limits,
                               platform::Clock& clock, Ledger* ledger)
    : inner_(std::move(inner)), limits_(limits), clock_(clock), ledger_(ledger) {}

Result<ChatReply> RateLimitModel::complete(const ChatRequest& request, Call& call) {
  std::uint64_t id = 0;
  for (bool is_said = false;;) {
    const auto wait = try_enter(worst_usage(request).total(), id);
    if (wait <= wait.zero()) break;
    if (!std::exchange(is_said, is_said || wait >= kWorthSaying) && wait >= kWorthSaying)
      call.say(name() + ": waiting " + format_ns(static_cast<double>(wait.count())) +
               " to stay within the rate limit");
    KW_TRY(wait_for(clock_, {wait, name(), ledger_}, call.cancel));
  }
  auto reply = inner_->complete(request, call);
  correct(id, reply ? reply->usage.total() : call.report.spent.total());
  return reply;
}

std::chrono::nanoseconds RateLimitModel::try_enter(std::int64_t tokens, std::uint64_t& id) {
  const std::lock_guard guard(mutex_);
  const std::int64_t now = clock_.now_ns();
  while (!window_.empty() && window_.front().at_ns + kMinuteNs <= now) window_.pop_front();
  std::int64_t total = tokens;
  for (const Sent& sent : window_) total += sent.tokens;
  auto count = static_cast<std::int64_t>(window_.size()) + 1;
  // The oldest requests leave the window first, so the wait lasts until enough of them have left.
  std::int64_t free_at = now;
  for (const Sent& sent : window_) {
    const bool fits = (limits_.requests_per_minute == 0 || count <= limits_.requests_per_minute) &&
                      (limits_.tokens_per_minute == 0 || total <= limits_.tokens_per_minute);
    if (fits) break;
    free_at = sent.at_ns + kMinuteNs;
    total -= sent.tokens;
    --count;
  }
  if (free_at > now) return std::chrono::nanoseconds(free_at - now);
  id = next_id_++;
  window_.push_back({now, tokens, id});
  return std::chrono::nanoseconds::zero();
}

void RateLimitModel::correct(std::uint64_t id, std::int64_t tokens) {
  const std::lock_guard guard(mutex_);
  for (Sent& sent : window_)
    if (sent.id == id) sent.tokens = tokens;
}

}  // namespace kw::llm
