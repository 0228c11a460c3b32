// Reserves and settles what calls cost, and refuses calls that would break a bound.
// SPDX-License-Identifier: Apache-2.0
#include "llm/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "llm/estimate.h"
#include "llm/prices.h"

namespace kw::llm {
namespace {

/// `bound` names the member of SpendLimits that does not allow the call, or "time" or "price".
std::unexpected<Error> over(const char* bound, std::string what, const std::string& model) {
  return fail(ErrorCode::OverBudget, About{bound}, std::move(what), model, Advice::Stop);
}

}  // namespace

Result<> Ledger::check(const Usage& worst, const std::optional<Price>& price,
                       const std::string& model) const {
  const std::int64_t calls = spent_.calls + reserved_.calls;
  const std::int64_t tokens = spent_.tokens + reserved_.tokens;
  const double usd = spent_.usd + reserved_.usd;
  if (limits_.calls && calls + 1 > *limits_.calls)
    return over("calls", fmt::format("the budget of {} model calls is used up", *limits_.calls),
                model);
  if (limits_.tokens && tokens + worst.total() > *limits_.tokens)
    return over("tokens",
                fmt::format("the budget of {} tokens has {} left, and this call may take {}",
                            *limits_.tokens, std::max<std::int64_t>(0, *limits_.tokens - tokens),
                            worst.total()),
                model);
  if (limits_.usd && !price)
    return over("price",
                "a budget in dollars needs a price, and none is known: add one to "
                "models/prices.yaml (docs/models.md), or bound tokens instead",
                model);
  const double cost = price ? worst_cost_usd(worst, *price) : 0;
  if (limits_.usd && usd + cost > *limits_.usd)
    return over(
        "usd",
        fmt::format("the budget of ${:.2f} has ${:.4f} left, and this call may cost ${:.4f}",
                    *limits_.usd, std::max(0.0, *limits_.usd - usd), cost),
        model);
  return {};
}

Result<> Ledger::reserve(const Usage& worst, const std::optional<Price>& price,
                         const std::string& model) {
  const std::lock_guard guard(mutex_);
  if (auto fits = check(worst, price, model); !fits) {
    refusal_ = fits.error().what;
    return fits;
  }
  refusal_.clear();
  ++reserved_.calls;
  reserved_.tokens += worst.total();
  reserved_.usd += price ? worst_cost_usd(worst, *price) : 0;
  return {};
}

void Ledger::take_back(const Usage& worst, const std::optional<Price>& price) {
  --reserved_.calls;
  reserved_.tokens -= worst.total();
  // Rounding leaves a remainder in the sum of reserved dollars; it is cleared when nothing is
  // reserved.
  reserved_.usd =
      reserved_.calls == 0 ? 0 : reserved_.usd - (price ? worst_cost_usd(worst, *price) : 0);
}

void Ledger::release(const Usage& worst, const std::optional<Price>& price) {
  const std::lock_guard guard(mutex_);
  take_back(worst, price);
}

void Ledger::settle(const Usage& worst, const Usage& actual, const std::optional<Price>& price) {
  const std::lock_guard guard(mutex_);
  take_back(worst, price);
  ++spent_.calls;
  spent_.tokens += actual.total();
  if (price)
    spent_.usd += cost_usd(actual, *price);
  else
    ++spent_.unpriced;
}

void Ledger::set_latest(std::int64_t at_ns) {
  const std::lock_guard guard(mutex_);
  latest_ns_ = at_ns;
}

Result<> Ledger::allow_wait(std::int64_t now_ns, std::int64_t wait_ns, const std::string& model) {
  const std::lock_guard guard(mutex_);
  if (latest_ns_ == 0 || now_ns + wait_ns <= latest_ns_) return {};
  const auto left_ns = static_cast<double>(std::max<std::int64_t>(0, latest_ns_ - now_ns));
  refusal_ = fmt::format("time: {} asks for a wait of {}, and the search has {} left", model,
                         format_ns(static_cast<double>(wait_ns)), format_ns(left_ns));
  return over("time", refusal_, model);
}

Spent Ledger::spent() const {
  const std::lock_guard guard(mutex_);
  return spent_;
}

std::string Ledger::refusal() const {
  const std::lock_guard guard(mutex_);
  return refusal_;
}

void Ledger::raise(const SpendLimits& limits) {
  const std::lock_guard guard(mutex_);
  if (limits.usd) limits_.usd = limits.usd;
  if (limits.tokens) limits_.tokens = limits.tokens;
  if (limits.calls) limits_.calls = limits.calls;
}

BudgetModel::BudgetModel(std::unique_ptr<ChatModel> inner, Ledger& ledger,
                         std::optional<Price> price)
    : inner_(std::move(inner)), ledger_(ledger), price_(std::move(price)) {}

Result<ChatReply> BudgetModel::complete(const ChatRequest& request, Call& call) {
  const Usage worst = worst_usage(request);
  KW_TRY(ledger_.reserve(worst, price_, name()));
  auto reply = inner_->complete(request, call);
  if (!reply && call.report.is_pending)
    ledger_.release(worst, price_);
  else
    ledger_.settle(worst, reply ? reply->usage : call.report.spent, price_);
  return reply;
}

BudgetEmbeddings::BudgetEmbeddings(std::unique_ptr<EmbeddingModel> inner, Ledger& ledger,
                                   std::optional<Price> price)
    : inner_(std::move(inner)), ledger_(ledger), price_(std::move(price)) {}

Result<Embeddings> BudgetEmbeddings::embed(const std::vector<std::string>& texts, Call& call) {
  // An embedding has no reply, so the bytes of the text bound its tokens.
  ChatRequest request;
  request.max_tokens = 0;
  for (const std::string& text : texts) request.messages.push_back({ChatRole::User, text});
  const Usage worst = worst_usage(request);
  KW_TRY(ledger_.reserve(worst, price_, name()));
  auto vectors = inner_->embed(texts, call);
  if (vectors && vectors->usage.total() == 0) {
    vectors->usage.prompt_tokens = likely_tokens(bytes_of(request));
    vectors->usage.is_estimated = true;
    if (price_) vectors->cost_usd = cost_usd(vectors->usage, *price_);
  }
  ledger_.settle(worst, vectors ? vectors->usage : call.report.spent, price_);
  return vectors;
}

}  // namespace kw::llm
