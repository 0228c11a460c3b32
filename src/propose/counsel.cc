// Asks models for advice in roles such as judge or critic, and gives rule-based advice without a
// model.
// SPDX-License-Identifier: Apache-2.0
#include "propose/counsel.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "propose/feedback.h"
#include "propose/manner.h"
#include "propose/markdown.h"
#include "propose/schema.h"

namespace kw::propose {
namespace {

constexpr std::string_view kFor = " for ";
constexpr std::size_t kCounselBytes = 4000;
constexpr int kTries = 2;

std::string spaced(std::string name) {
  std::ranges::replace(name, '_', ' ');
  return name;
}

int number_in(const std::map<std::string, std::string>& fields, const char* name) {
  const auto found = fields.find(name);
  return found == fields.end() ? 0 : std::stoi(found->second);
}

/// Sets the range of lines that a reply names, if the lines exist in the parent and are in order.
void set_lines(Reading& reading, const std::map<std::string, std::string>& fields,
               const Situation& s) {
  const int first = number_in(fields, "first_line"), last = number_in(fields, "last_line");
  if (s.parent == nullptr || first < 1 || last < first) return;
  const auto lines = static_cast<int>(split_lines(s.parent->candidate.source).size());
  if (last > lines) return;
  reading.first_line = first;
  reading.last_line = last;
}

void take_fields(Reading& reading, const std::map<std::string, std::string>& fields,
                 std::span<const SchemaField> schema, const Situation& s) {
  std::string words;
  for (const SchemaField& field : schema) {
    const auto found = fields.find(std::string(field.name));
    if (found == fields.end() || field.kind == SchemaField::Kind::Line) continue;
    if (!words.empty()) words += "\n";
    words += fmt::format("- {}: {}", spaced(std::string(field.name)), found->second);
  }
  reading.words = sanitise(words, kCounselBytes);
  set_lines(reading, fields, s);
  if (const auto found = fields.find("technique"); found != fields.end())
    reading.technique = found->second;
  const auto verdict = fields.find("verdict");
  reading.is_turned_down = verdict != fields.end() && verdict->second == "revise";
}

void add(Usage& sum, const Usage& more) {
  sum.prompt_tokens += more.prompt_tokens;
  sum.cached_tokens += more.cached_tokens;
  sum.cache_write_tokens += more.cache_write_tokens;
  sum.completion_tokens += more.completion_tokens;
  sum.is_estimated = sum.is_estimated || more.is_estimated;
}

Reading begun(const Situation& s) {
  Reading reading;
  reading.attempt = s.parent != nullptr ? s.parent->number : 0;
  reading.asked_for = s.number;
  reading.role = s.view->role;
  return reading;
}

}  // namespace

std::string scope_of_counsel(std::string_view role, int number) {
  return std::string(role) + std::string(kFor) + scope_of_attempt(number);
}

int attempt_of_counsel(std::string_view scope) {
  const auto at = scope.find(kFor);
  return at == std::string_view::npos ? 0 : attempt_of_scope(scope.substr(at + kFor.size()));
}

Reading rules_reading(const Situation& s) {
  Reading reading = begun(s);
  reading.role = kRulesRole;
  if (s.parent == nullptr) return reading;
  const Feedback feedback = feedback_of(s, Veil(*s.task));
  // Findings are sorted by importance, so the first ones are told.
  std::vector<std::string> lines{feedback.verdict};
  for (const Finding& finding : feedback.findings) {
    if (lines.size() == 3) break;
    lines.push_back(finding.text);
  }
  const bool is_correct = s.parent->evaluation.verdict.is_correct();
  lines.emplace_back(is_correct ? "Change the one thing that the first finding names, and no other."
                                : "Mend what the first finding names, and change nothing else.");
  for (const std::string& line : lines)
    reading.words += (reading.words.empty() ? "- " : "\n- ") + line;
  reading.words = sanitise(reading.words, kCounselBytes);
  return reading;
}

ModelCounsel::ModelCounsel(PromptBook book, std::map<std::string, llm::ChatModel*> roles,
                           std::vector<llm::ChatModel*> writers, ModelCounselOptions options)
    : book_(std::move(book)),
      roles_(std::move(roles)),
      writers_(std::move(writers)),
      options_(std::move(options)) {
  KW_ASSERT(!writers_.empty());
}

std::vector<llm::ChatModel*> ModelCounsel::models_for(const Situation& s) const {
  const auto own = roles_.find(s.view->role);
  if (own != roles_.end()) return {own->second};
  std::vector<llm::ChatModel*> models;
  const std::size_t first = first_writer(s, writers_.size());
  for (std::size_t i = 0; i < writers_.size(); ++i)
    models.push_back(writers_[(first + i) % writers_.size()]);
  return models;
}

Result<ChatReply> ModelCounsel::ask(const ChatRequest& request, const Situation& s,
                                    Reading& reading) {
  const std::vector<llm::ChatModel*> models = models_for(s);
  for (std::size_t tried = 0;; ++tried) {
    llm::ChatModel& model = *models[tried];
    llm::Call call;
    call.scope = scope_of_counsel(s.view->role, s.number);
    call.on_notice = options_.on_notice;
    call.cancel = options_.cancel;
    const std::string key = keys_.next(model.name(), call.scope, request);
    auto reply = model.complete(request, call);
    if (reply) {
      reading.exchange = key;
      add(reading.usage, reply->usage);
      reading.cost_usd += reply->cost_usd.value_or(0);
      return reply;
    }
    const bool is_lost = reply.error().advice != Advice::GiveUp && !call.cancel.stop_requested();
    if (!is_lost || tried + 1 == models.size()) return reply;
    call.say(fmt::format("{}; the next model is asked", describe(reply.error())));
  }
}

Reading ModelCounsel::learned_reading(const Situation& s) const {
  const bool works = s.parent != nullptr && s.parent->evaluation.verdict.is_correct();
  Reading reading = begun(s);
  if (works && options_.learned) reading.words = options_.learned(s);
  if (!reading.words.empty()) return reading;
  reading.words = rules_reading(s).words;
  if (works)
    reading.trouble =
        "no recorded technique promises a gain here; fixed rules give the advice instead";
  return reading;
}

Result<Reading> ModelCounsel::consult(const Situation& s) {
  KW_ASSERT(s.view != nullptr && s.number > 0);
  if (s.view->role == kRulesRole) return rules_reading(s);
  if (s.view->role == kLearnedRole) return learned_reading(s);
  Reading reading = begun(s);
  ChatRequest request;
  const Prompt prompt = KW_TRY(book_.build_counsel(s, options_.prompt));
  if (options_.on_prompt) options_.on_prompt(prompt);
  request.messages = prompt.messages();
  request.set(options_.reply);
  if (!request.temperature) request.temperature = s.view->temperature;
  const auto schema = schema_of(s.view->prompt);
  const std::vector<std::string> offered = offered_metrics(s);
  for (int tried = 0; tried < kTries; ++tried) {
    const auto reply = ask(request, s, reading);
    // A role whose model does not answer is not skipped, because that would be another search
    // method: the run stops and can be resumed.
    if (!reply) return std::unexpected(reply.error());
    reading.trouble = llm::why_unusable(*reply);
    if (schema.empty()) {
      reading.words = sanitise(trim(reply->text), kCounselBytes);
      if (!reading.words.empty()) reading.trouble.clear();
      return reading;
    }
    const auto fields = read_schema(reply->text, schema, offered);
    if (fields) {
      reading.trouble.clear();
      take_fields(reading, *fields, schema, s);
      return reading;
    }
    reading.trouble = fields.error();
    // The text is never empty, because some providers refuse an empty message, and it is cut,
    // because an unreadable reply of a megabyte should not be paid for twice.
    const std::string said = sanitise(reply->text, kCounselBytes);
    request.messages.push_back({ChatRole::Assistant, said.empty() ? "(nothing)" : said});
    request.messages.push_back(
        {ChatRole::User, fmt::format("That cannot be read: {}. Send the JSON object once more, "
                                     "within its bounds, and nothing else.",
                                     fields.error())});
  }
  // If a critic's reply cannot be read, the candidate is not turned down.
  if (s.written == nullptr) {
    reading.words = rules_reading(s).words;
    reading.trouble += "; fixed rules give the advice instead";
  }
  return reading;
}

}  // namespace kw::propose
