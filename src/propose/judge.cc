// Builds a judge's prompt, asks the judge, and keeps its answer.
// SPDX-License-Identifier: Apache-2.0
#include "propose/judge.h"

#include <utility>

#include "base/text.h"
#include "propose/markdown.h"

namespace kw::propose {
namespace {

constexpr std::string_view kReadingOf = "reading of ";
constexpr int kMostFailures = 2;
constexpr std::size_t kReadingBytes = 1500;  // judges are asked for five sentences

}  // namespace

std::string scope_of_reading(int attempt) {
  return std::string(kReadingOf) + scope_of_attempt(attempt);
}

int attempt_of_reading(std::string_view scope) {
  if (!scope.starts_with(kReadingOf)) return 0;
  return attempt_of_scope(scope.substr(kReadingOf.size()));
}

Result<ChatReply> ModelJudge::ask(const ChatRequest& request, const std::string& scope) {
  llm::Call call;
  call.scope = scope;
  call.on_notice = options_.on_notice;
  call.cancel = options_.cancel;
  return model_.complete(request, call);
}

Result<Reading> ModelJudge::read(const Situation& situation) {
  Reading reading;
  reading.attempt = situation.parent->number;
  reading.asked_for = situation.number;
  if (failures_ == kMostFailures) {
    reading.trouble = "the judge model is not asked any more, because it failed twice in a row";
    return reading;
  }
  ChatRequest request;
  request.messages = {{ChatRole::User, KW_TRY(book_.build_reading(situation))}};
  request.set(options_.reply);
  const std::string scope = scope_of_reading(reading.attempt);
  const std::string key = keys_.next(model_.name(), scope, request);
  auto reply = ask(request, scope);
  if (!reply) {
    if (options_.cancel.stop_requested()) return std::unexpected(reply.error());
    ++failures_;
    reading.trouble = describe(reply.error());
    if (options_.on_notice)
      options_.on_notice("the judge model gave no reading of attempt " +
                         std::to_string(reading.attempt) + ": " + reading.trouble);
    return reading;
  }
  failures_ = 0;
  reading.exchange = key;
  reading.usage = reply->usage;
  reading.cost_usd = reply->cost_usd.value_or(0);
  const bool is_withheld =
      reply->stop == StopReason::Refusal || reply->stop == StopReason::ContentFilter;
  // A reply cut off by the token limit is still used.
  if (!is_withheld) reading.words = sanitise(trim(reply->text), kReadingBytes);
  if (reading.words.empty()) reading.trouble = llm::why_unusable(*reply);
  return reading;
}

}  // namespace kw::propose
