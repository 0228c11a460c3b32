// Sends a prompt to a model, and makes a candidate of the reply.
// SPDX-License-Identifier: Apache-2.0
#include "propose/model_proposer.h"

#include <fmt/format.h>

#include <cctype>
#include <utility>

#include "base/text.h"
#include "propose/manner.h"
#include "propose/reply.h"
#include "propose/weakened.h"
#include "task/header.h"

namespace kw::propose {
namespace {

constexpr std::size_t kNameBytes = 40;
/// Rank of a finding that is less important than every other.
constexpr int kLastRank = 99;

/// A candidate's name for lists and files, from its number and declared techniques:
/// "012_tiling_prefetch".
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

/// Removes the marks that anchored() put into the prompt, which a reply may repeat.
std::string without_anchors(const std::string& source) {
  std::string text;
  for (const std::string_view line : split_lines(source)) {
    if (trim(line) == kAnchorBegins || trim(line) == kAnchorEnds) continue;
    text += std::string(line) + "\n";
  }
  return text;
}

/// Why the candidate gives up the parent's kernel although the method demands a repair of it;
/// empty: the candidate keeps the kernel, or need not.
std::string why_given_up(const Candidate& candidate, const Situation& s) {
  if (s.manner == nullptr || !s.manner->keeps_kernel || s.parent == nullptr) return {};
  if (s.parent->candidate.source.empty()) return {};
  return why_weakened(s.parent->candidate, candidate);
}

void read_candidate(Proposal& proposal, const std::string& source, const Situation& s) {
  auto candidate = task::make_candidate(name_for(s.number, {}), source, Origin::Model,
                                        s.task->task.restrictions, s.target);
  if (candidate) {
    candidate->name = name_for(s.number, candidate->techniques);
    if (std::string why = why_given_up(*candidate, s); !why.empty()) {
      proposal.evidence = std::move(why);
      return;
    }
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
  std::string parent;
  const bool has_anchors = s.parent != nullptr && anchored(s) != s.parent->candidate.source;
  if (s.parent != nullptr) parent = has_anchors ? anchored(s) : s.parent->candidate.source;
  context.parent = parent;
  if (s.manner != nullptr) context.form = s.manner->form;
  context.is_cut_off = reply.stop == StopReason::Length;
  const std::string trouble = llm::why_unusable(reply);
  if (!trouble.empty() && (!context.is_cut_off || trim(reply.text).empty())) {
    proposal.evidence = trouble;
    return;
  }
  ParsedReply parsed = parse_reply(reply.text, context);
  proposal.plan = std::move(parsed.plan);
  if (has_anchors && !parsed.source.empty()) parsed.source = without_anchors(parsed.source);
  if (!parsed.source.empty()) {
    read_candidate(proposal, parsed.source, s);
    if (!parsed.note.empty())
      proposal.findings.push_back({FindingKind::Note, kLastRank, std::move(parsed.note), "", ""});
    return;
  }
  proposal.reason = parsed.reason;
  proposal.evidence = trouble.empty() ? std::move(parsed.evidence)
                                      : fmt::format("{} ({})", parsed.evidence, trouble);
}

}  // namespace

ModelProposer::ModelProposer(PromptBook book, std::vector<llm::ChatModel*> models,
                             ModelProposerOptions options)
    : book_(std::move(book)), models_(std::move(models)), options_(std::move(options)) {
  KW_ASSERT(!models_.empty());
}

std::vector<llm::ChatModel*> ModelProposer::models_for(const Situation& s) const {
  std::vector<llm::ChatModel*> models;
  if (s.view != nullptr)
    if (const auto own = options_.roles.find(s.view->role); own != options_.roles.end())
      models.push_back(own->second);
  const std::size_t first = first_writer(s, models_.size());
  for (std::size_t i = 0; i < models_.size(); ++i)
    models.push_back(models_[(first + i) % models_.size()]);
  return models;
}

Result<ChatReply> ModelProposer::complete(const Situation& situation, const ChatRequest& request,
                                          llm::Call& call, Proposal& proposal) {
  const std::vector<llm::ChatModel*> models = models_for(situation);
  for (std::size_t tried = 0;; ++tried) {
    llm::ChatModel& model = *models[tried];
    const std::string key = keys_.next(model.name(), call.scope, request);
    auto reply = model.complete(request, call);
    if (reply) {
      proposal.exchanges.push_back(key);
      proposal.writer = model.name();
      return reply;
    }
    // No other model replaces the model of a role, because that would be another search method. A
    // GiveUp error concerns the request, so every model would fail with it.
    const bool has_role = tried == 0 && models.size() > models_.size();
    const bool is_refused = options_.is_refused && options_.is_refused();
    const bool is_lost =
        !has_role && reply.error().advice != Advice::GiveUp && !call.cancel.stop_requested();
    if ((!is_refused && !is_lost) || tried + 1 == models.size()) return reply;
    call.say(fmt::format("{}; the next model is asked", describe(reply.error())));
  }
}

Result<Proposal> ModelProposer::propose(const Situation& situation) {
  KW_ASSERT(situation.number > 0);
  PromptOptions asked = options_.prompt;
  asked.reply_tokens = options_.reply.max_tokens;
  const Prompt prompt = KW_TRY(book_.build(situation, asked));
  if (options_.on_prompt) options_.on_prompt(prompt);

  ChatRequest request;
  request.messages = prompt.messages();
  request.set(options_.reply);
  if (!request.temperature && situation.view != nullptr)
    request.temperature = situation.view->temperature;
  llm::Call call;
  call.scope = scope_of_attempt(situation.number);
  call.on_delta = options_.on_delta;
  call.on_notice = options_.on_notice;
  call.cancel = options_.cancel;
  if (prompt.is_over_budget)
    call.say(
        fmt::format("the prompt takes about {} tokens, more than the bound of {}: task and "
                    "parent are never cut",
                    prompt.tokens, options_.prompt.max_tokens));

  Proposal proposal;
  const ChatReply reply = KW_TRY(complete(situation, request, call, proposal));
  proposal.usage = reply.usage;
  proposal.cost_usd = reply.cost_usd.value_or(0);
  read_reply(proposal, reply, situation);
  return proposal;
}

}  // namespace kw::propose
