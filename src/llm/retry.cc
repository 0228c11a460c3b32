// Waits between tries, repeats tries, and detects repeated refusals.
// SPDX-License-Identifier: Apache-2.0
#include "llm/retry.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "llm/waiting.h"

namespace kw::llm {
namespace {

using Milliseconds = std::chrono::milliseconds;

/// Waits before the next try and reports the wait. If no try is left, returns the last error with
/// Advice::Stop, because every further request would meet it.
Result<> wait_or_stop(const Error& error, Backoff& backoff, const std::string& name,
                      platform::Clock& clock, Ledger* ledger, const Call& call) {
  if (error.advice != Advice::Retry) return std::unexpected(error);
  const auto wait = backoff.next(call.report.retry_after);
  if (!wait) {
    Error last = error;
    last.advice = Advice::Stop;
    last.what += fmt::format(" (given up after {} {})", backoff.tries(),
                             backoff.tries() == 1 ? "try" : "tries");
    return std::unexpected(std::move(last));
  }
  call.say(fmt::format("{}: {}; trying again in {}", name, error.what,
                       format_ns(static_cast<double>(std::chrono::nanoseconds(*wait).count()))));
  KW_TRY(wait_for(clock, {*wait, name, ledger}, call.cancel));
  call.tell(Delta::Kind::Restart, {});
  return {};
}

}  // namespace

std::optional<Milliseconds> Backoff::next(std::optional<Milliseconds> retry_after) {
  if (++tries_ >= policy_.max_tries) return std::nullopt;
  if (retry_after) {
    if (*retry_after > policy_.longest_retry_after) return std::nullopt;
    const double asked = static_cast<double>(retry_after->count());
    return Milliseconds(static_cast<std::int64_t>(asked * rng_.uniform(1.0, 1.1)));
  }
  const int doublings = std::min(tries_ - 1, 20);
  const auto full = std::min(policy_.longest_wait, policy_.first_wait * (1 << doublings));
  return Milliseconds(
      static_cast<std::int64_t>(static_cast<double>(full.count()) * rng_.uniform(0.5, 1.0)));
}

RetryModel::RetryModel(std::unique_ptr<ChatModel> inner, RetryPolicy policy, platform::Clock& clock,
                       Seed seed, Ledger* ledger)
    : inner_(std::move(inner)), policy_(policy), clock_(clock), ledger_(ledger), seed_(seed) {}

Backoff RetryModel::new_backoff() {
  const std::lock_guard guard(mutex_);
  return Backoff(policy_, seed_.child(calls_++));
}

void RetryModel::forget_refusal() {
  const std::lock_guard guard(mutex_);
  last_refusal_.clear();
}

Error RetryModel::refused(Error error) {
  const std::lock_guard guard(mutex_);
  std::string key = trouble_key(error);
  if (key == std::exchange(last_refusal_, key)) {
    error.what += kRefusedTwice;
    error.advice = Advice::Stop;
  }
  return error;
}

Result<ChatReply> RetryModel::complete(const ChatRequest& request, Call& call) {
  Backoff backoff = new_backoff();
  for (;;) {
    auto reply = inner_->complete(request, call);
    if (reply) {
      reply->attempts = backoff.tries() + 1;
      forget_refusal();
      return reply;
    }
    if (reply.error().advice == Advice::GiveUp)
      return std::unexpected(refused(std::move(reply.error())));
    KW_TRY(wait_or_stop(reply.error(), backoff, name(), clock_, ledger_, call));
  }
}

RetryEmbeddings::RetryEmbeddings(std::unique_ptr<EmbeddingModel> inner, RetryPolicy policy,
                                 platform::Clock& clock, Seed seed, Ledger* ledger)
    : inner_(std::move(inner)), policy_(policy), clock_(clock), ledger_(ledger), seed_(seed) {}

Result<Embeddings> RetryEmbeddings::embed(const std::vector<std::string>& texts, Call& call) {
  Backoff backoff(policy_, seed_);
  for (;;) {
    auto vectors = inner_->embed(texts, call);
    if (vectors) return vectors;
    KW_TRY(wait_or_stop(vectors.error(), backoff, name(), clock_, ledger_, call));
  }
}

}  // namespace kw::llm
