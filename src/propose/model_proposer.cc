// Prompt, exchange, reply, candidate.
// SPDX-License-Identifier: Apache-2.0
#include "propose/model_proposer.h"

#include <fmt/format.h>

#include <cctype>
#include <utility>

#include "base/text.h"
#include "propose/reply.h"
#include "task/header.h"

namespace kw::propose {
namespace {

constexpr std::size_t kNameBytes = 40;

/// "012_tiling_prefetch": number and declared techniques, for lists and file names.
std::string name_for(int number, const std::vector<std::string>& techniques) {
  std::string name = fmt::format("{:03}_", number);
  for (const std::string& technique : techniques) {
    if (name.size() + technique.size() + 1 > kNameBytes) break;
    if (!name.ends_with('_')) name += '_';
    for (const char c : technique) {
      const auto letter = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? letter : '_';
    }
  }
  return name.ends_with('_') ? name + "model" : name;
}

void read_candidate(Proposal& proposal, const std::string& source, const Situation& s) {
  auto candidate = task::make_candidate(name_for(s.number, {}), source, Origin::Model,
                                        s.task->task.restrictions, s.target);
  if (candidate) {
    candidate->name = name_for(s.number, candidate->techniques);
    proposal.candidate = std::move(*candidate);
    return;
  }
  const Finding& first = candidate.error().front();
  proposal.evidence = fmt::format("{}: {}", first.place, first.text);
  proposal.findings = candidate.error();
}

void read_reply(Proposal& proposal, const ChatReply& reply, const Situation& s) {
  ReplyContext context;
  context.function = s.task->task.function;
  context.target = s.target;
  if (s.parent != nullptr) context.parent = s.parent->candidate.source;
  context.is_cut_off = reply.stop == StopReason::Length;
  const std::string trouble = llm::why_unusable(reply);
  if (!trouble.empty() && !context.is_cut_off) {
    proposal.evidence = trouble;
    return;
  }
  ParsedReply parsed = parse_reply(reply.text, context);
  proposal.plan = std::move(parsed.plan);
  if (!parsed.source.empty()) return read_candidate(proposal, parsed.source, s);
  proposal.evidence = trouble.empty() ? std::move(parsed.evidence)
                                      : fmt::format("{} ({})", parsed.evidence, trouble);
}

}  // namespace

ModelProposer::ModelProposer(PromptBook book, std::vector<llm::ChatModel*> models,
                             ModelProposerOptions options)
    : book_(std::move(book)), models_(std::move(models)), options_(std::move(options)) {
  KW_ASSERT(!models_.empty());
}

Result<ChatReply> ModelProposer::complete(std::size_t turn, const ChatRequest& request,
                                          llm::Call& call, Proposal& proposal) {
  for (std::size_t tried = 1;; ++tried, ++turn) {
    llm::ChatModel& model = *models_[turn % models_.size()];
    const std::string key = keys_.next(model.name(), call.scope, request);
    auto reply = model.complete(request, call);
    if (reply) proposal.exchanges.push_back(key);
    const bool is_refused = !reply && options_.is_refused && options_.is_refused();
    if (!is_refused || tried == models_.size()) return reply;
    call.say(fmt::format("{}; the next model is asked", describe(reply.error())));
  }
}

Result<Proposal> ModelProposer::propose(const Situation& situation) {
  KW_ASSERT(situation.number > 0);
  const Prompt prompt = KW_TRY(book_.build(situation, options_.prompt));

  ChatRequest request;
  request.messages = prompt.messages();
  request.max_tokens = options_.max_tokens;
  request.temperature = options_.temperature;
  request.effort = options_.effort;
  llm::Call call;
  call.scope = scope_of_attempt(situation.number);
  call.on_delta = options_.on_delta;
  call.on_notice = options_.on_notice;
  call.cancel = options_.cancel;
  if (prompt.is_over_budget)
    call.say(
        fmt::format("the prompt takes about {} tokens, more than the {} that were asked for: "
                    "task and parent are never cut",
                    prompt.tokens, options_.prompt.max_tokens));

  Proposal proposal;
  const ChatReply reply =
      KW_TRY(complete(static_cast<std::size_t>(situation.number - 1), request, call, proposal));
  proposal.usage = reply.usage;
  proposal.cost_usd = reply.cost_usd.value_or(0);
  read_reply(proposal, reply, situation);
  return proposal;
}

}  // namespace kw::propose
