// Asks a model for the files of a task, checks them, and asks again with the problems found.
// SPDX-License-Identifier: Apache-2.0
#include "propose/task_drafter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/foreign_text.h"
#include "base/text.h"
#include "propose/markdown.h"
#include "propose/reply.h"
#include "task/load.h"

namespace kw::propose {
namespace {

constexpr std::size_t kMostProblems = 20;
constexpr std::size_t kProblemBytes = 600;

const std::vector<std::string>& file_names() {
  static const std::vector<std::string> names = {"task.yaml", "shapes.yaml", "reference.cpp",
                                                 "spec.md"};
  return names;
}

/// Splits a message into problems, one per line, at most as many as a model should read at once.
std::vector<std::string> problems_of(std::string_view text) {
  std::vector<std::string> problems;
  for (const std::string_view line : split_lines(text))
    if (!trim(line).empty() && problems.size() < kMostProblems)
      problems.push_back(sanitise(line, kProblemBytes));
  return problems;
}

/// Loads a task from the files and returns the problems; empty: `definition` holds the task.
std::vector<std::string> load_problems(const std::string& name,
                                       const std::map<std::string, std::string>& files,
                                       std::optional<task::Definition>& definition) {
  std::vector<std::string> problems;
  for (const std::string& wanted : file_names())
    if (!files.contains(wanted)) problems.push_back(wanted + " is missing");
  if (!problems.empty()) return problems;
  auto loaded = task::parse_task({name, files});
  if (!loaded) return problems_of(describe(loaded.error()));
  if (loaded->task.name != name)
    return {fmt::format("task.yaml: the name is '{}', not '{}'", name,
                        sanitise(loaded->task.name, 60))};
  definition = std::move(*loaded);
  return {};
}

/// The files in the form in which a reply would send them.
std::string as_reply(const std::map<std::string, std::string>& files) {
  std::string text;
  for (const auto& [name, content] : files) {
    const std::string kind = name.ends_with(".cpp") ? "cpp" : name.ends_with(".md") ? "md" : "yaml";
    text += fenced(memory::shown_whole(content), kind + " " + name) + "\n\n";
  }
  return text;
}

}  // namespace

Result<TaskDrafter> TaskDrafter::open(const memory::DataFiles& data, llm::ChatModel& model,
                                      TaskDrafterOptions options) {
  const std::vector<std::string> known = {"name", "words", "problems", "text"};
  constexpr std::array<std::string_view, 3> wanted{"system", "describe", "mend"};
  memory::TemplateKind kind;
  kind.folder = "prompts/new_task";
  return TaskDrafter(KW_TRY(memory::Templates::open(data, known, wanted, kind)), model,
                     std::move(options));
}

Result<> TaskDrafter::take(const ChatReply& reply, const std::string& name, const TaskCheck& check,
                           DraftedTask& drafted) const {
  const bool is_cut_off = reply.stop == StopReason::Length;
  const std::string trouble = is_cut_off ? "" : llm::why_unusable(reply);
  const ParsedFiles parsed = trouble.empty() ? parse_files(reply.text, file_names(), is_cut_off)
                                             : ParsedFiles{{}, trouble};
  for (const auto& [file, text] : parsed.files) drafted.files[file] = text;
  if (!parsed.evidence.empty()) {
    drafted.problems = {parsed.evidence};
    return {};
  }
  std::optional<task::Definition> definition;
  drafted.problems = load_problems(name, drafted.files, definition);
  if (definition) drafted.problems = KW_TRY(check(*definition));
  return {};
}

Result<std::vector<ChatMessage>> TaskDrafter::opening(const std::string& name,
                                                      const std::string& words) const {
  const memory::Fields fields = {{"name", {name}}, {"words", {words}}};
  return std::vector<ChatMessage>{{ChatRole::System, KW_TRY(templates_.render("system", fields))},
                                  {ChatRole::User, KW_TRY(templates_.render("describe", fields))}};
}

Result<ChatMessage> TaskDrafter::told(const std::vector<std::string>& problems) const {
  std::vector<memory::Fields> items;
  for (const std::string& problem : problems)
    items.push_back({{"text", {sanitise_line(problem, kProblemBytes)}}});
  return ChatMessage{ChatRole::User, KW_TRY(templates_.render("mend", {{"problems", {items}}}))};
}

Result<DraftedTask> TaskDrafter::draft(const std::string& name, const std::string& words,
                                       const TaskCheck& check) {
  const auto first = KW_TRY(opening(name, words));
  ChatRequest request;
  request.messages = first;
  request.set(options_.reply);
  llm::Call call;
  call.scope = "draft " + name;
  call.on_notice = options_.on_notice;
  call.cancel = options_.cancel;

  DraftedTask drafted;
  while (drafted.tries < options_.tries) {
    call.say(fmt::format("asking {} for {} (reply {} of at most {})", model_.name(), name,
                         drafted.tries + 1, options_.tries));
    const auto reply = model_.complete(request, call);
    if (!reply && drafted.tries == 0) return std::unexpected(reply.error());
    if (!reply) {
      drafted.ended = describe(reply.error());
      break;
    }
    ++drafted.tries;
    KW_TRY(take(*reply, name, check, drafted));
    if (drafted.problems.empty()) break;
    for (const std::string& problem : drafted.problems) call.say("not yet: " + problem);
    // The next request shows the current files instead of all replies that led to them.
    request.messages = first;
    request.messages.push_back(
        {ChatRole::Assistant, drafted.files.empty() ? reply->text : as_reply(drafted.files)});
    request.messages.push_back(KW_TRY(told(drafted.problems)));
  }
  return drafted;
}

}  // namespace kw::propose
