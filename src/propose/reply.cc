// Extracts a source from the text of a reply.
// SPDX-License-Identifier: Apache-2.0
#include "propose/reply.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <expected>
#include <optional>
#include <utility>
#include <vector>

#include "base/contains.h"
#include "base/foreign_text.h"
#include "base/text.h"
#include "lex/lexer.h"
#include "llm/thinking.h"
#include "memory/lesson_rules.h"
#include "propose/edits.h"
#include "propose/markdown.h"
#include "propose/reply_forms.h"
#include "propose/unified_diff.h"
#include "record/target.h"
#include "task/code.h"
#include "task/header.h"

namespace kw::propose {
namespace {

/// Info strings of blocks that are never taken as C++: a kernel inside such a block is a quotation,
/// a part of a change, or a string.
constexpr auto kForeignInfos = std::to_array<std::string_view>(
    {"python",     "py",   "json", "jsonc", "yaml",    "yml",     "toml",       "xml",
     "html",       "bash", "sh",   "shell", "zsh",     "console", "md",         "markdown",
     "rust",       "go",   "java", "julia", "fortran", "js",      "javascript", "ts",
     "typescript", "asm",  "ptx",  "sass",  "mlir",    "cmake",   "make",       "makefile"});

/// Whether the source defines the function outside all braces, or directly inside an `extern "C"`
/// block.
bool defines(std::string_view source, std::string_view function) {
  if (source.size() > task::kMaxSourceBytes) return false;
  if (task::defines_function(source, function)) return true;
  const auto tokens = lex::tokenize(source);
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!tokens[i].is("extern") || !tokens[i + 2].is("{")) continue;
    const std::size_t close = lex::find_closing(tokens, i + 2);
    const std::size_t from = tokens[i + 2].offset + 1;
    const std::size_t to = close < tokens.size() ? tokens[close].offset : source.size();
    if (task::defines_function(source.substr(from, to - from), function)) return true;
  }
  return false;
}

/// Whether a source looks like a whole candidate.
bool is_candidate(std::string_view source, const ReplyContext& context) {
  if (const std::string_view mark = row_of(context.target).kernel_mark; !mark.empty()) {
    const std::size_t kernel = source.find(mark);
    return kernel != std::string_view::npos && source.find('{', kernel) != std::string_view::npos;
  }
  return defines(source, context.function);
}

/// Whether a block may hold C++. An unknown info string does not exclude it, since C++ has many
/// names.
bool may_be_code(const Block& block) {
  return !trim(block.text).empty() && !is_diff(block) && !contains(kForeignInfos, block.info) &&
         !is_data(block.text);
}

/// The block that is taken as the candidate's source, and why it was chosen.
struct Choice {
  const Block* block = nullptr;
  std::size_t others = 0;  ///< Number of other blocks that were suitable too.
  bool is_candidate = false;
};

Choice choose_block(const std::vector<Block>& blocks, const ReplyContext& context) {
  Choice choice;
  for (const Block& block : blocks) {
    if (!may_be_code(block) || !is_candidate(block.text, context)) continue;
    choice.others += choice.block != nullptr ? 1 : 0;
    choice.block = &block;
    choice.is_candidate = true;
  }
  if (choice.block != nullptr) return choice;
  for (const Block& block : blocks) {
    if (!may_be_code(block) || !is_code_info(block.info)) continue;
    choice.others += choice.block != nullptr ? 1 : 0;
    if (choice.block == nullptr || block.text.size() > choice.block->text.size())
      choice.block = &block;
  }
  return choice;
}

std::size_t line_of(std::string_view text, std::size_t offset) {
  return static_cast<std::size_t>(std::ranges::count(text.substr(0, offset), '\n')) + 1;
}

/// A sentence that says which of several suitable blocks was taken; empty where only one was
/// suitable.
std::string words_of(const Choice& choice, std::string_view text, const ReplyContext& context) {
  if (choice.others == 0) return {};
  const std::string what = row_of(context.target).kernel_mark.empty()
                               ? fmt::format("define {}", context.function)
                               : "hold a kernel";
  const std::size_t line = line_of(text, choice.block->begin);
  if (choice.is_candidate)
    return fmt::format("Of {} fenced blocks of the reply that {}, the last, in line {}, was taken.",
                       choice.others + 1, what, line);
  return fmt::format(
      "Of {} fenced blocks of the reply, none of which seems to {}, the longest, in line {}, was "
      "taken.",
      choice.others + 1, what, line);
}

/// Whether a line opens a fenced block or is a tag such as <code>.
bool opens_form(std::string_view line) {
  return line.starts_with("```") || line.starts_with("~~~") ||
         (line.starts_with('<') && line.ends_with('>'));
}

/// The text before `end` as the writer's plan, without the fences and tags directly before the
/// code.
std::string plan_before(std::string_view text, std::size_t end) {
  std::string_view plan = trim(text.substr(0, end));
  while (!plan.empty()) {
    const std::size_t newline = plan.rfind('\n');
    const std::size_t from = newline == std::string_view::npos ? 0 : newline + 1;
    if (!opens_form(trim(plan.substr(from)))) break;
    plan = trim(plan.substr(0, from));
  }
  return sanitise(plan, kPlanBytes);
}

ParsedReply unusable(ReplyFault fault, std::string plan, Reason reason = Reason::None) {
  return {.source = "",
          .evidence = std::move(fault.words),
          .plan = std::move(plan),
          .reason = reason,
          .trouble = fault.trouble,
          .about = std::move(fault.about)};
}

/// Lists the info strings of blocks, "json, diff"; empty where no block has one.
std::string marks_of(const std::vector<Block>& blocks) {
  std::vector<std::string> marks;
  for (const Block& block : blocks)
    if (!block.info.empty() && !contains(marks, block.info) && marks.size() < 4)
      marks.push_back(sanitise(block.info, 20));
  return join(marks, ", ");
}

/// The fault of a reply without any block that may hold the source.
ReplyFault no_code(const std::vector<Block>& blocks, bool is_cut_off) {
  if (is_cut_off)
    return {ReplyTrouble::CutOff, "before the code", "the reply was cut off before its code began"};
  if (blocks.empty())
    return {ReplyTrouble::NoCode, "", "the reply holds no fenced code block and no edits"};
  const std::string marks = marks_of(blocks);
  return {ReplyTrouble::ForeignCode, marks,
          "no block of the reply holds C++ code" +
              (marks.empty() ? "" : " (they are marked " + marks + ")")};
}

/// Whether the whole text is a candidate's source without any fence.
bool is_bare_source(std::string_view text, const ReplyContext& context) {
  return !context.is_cut_off && is_candidate(text, context) &&
         trim(text).find_first_of("/#estvic") == 0;
}

/// Takes the source from one of the fenced blocks, or from a text without any fence.
ParsedReply whole_file(std::string_view text, const ReplyContext& context) {
  const std::vector<Block> blocks = find_blocks(text);
  const Choice choice = choose_block(blocks, context);
  if (choice.block == nullptr) {
    if (blocks.empty() && is_bare_source(text, context)) return {std::string(text), "", "", ""};
    return unusable(no_code(blocks, context.is_cut_off), sanitise(trim(text), kPlanBytes));
  }
  const Block& block = *choice.block;
  std::string plan = plan_before(text, block.begin);
  if (!block.is_closed && context.is_cut_off) {
    const std::size_t line = split_lines(block.text).size();
    return unusable({ReplyTrouble::CutOff, fmt::format("line {} of the code", line),
                     fmt::format("the reply was cut off in line {} of the code: its closing fence "
                                 "is missing; write less, or send edits of the parent",
                                 line)},
                    std::move(plan));
  }
  return {block.text, "", std::move(plan), words_of(choice, text, context)};
}

/// The edits of a reply; where it has none and no block holds a whole file, the hunks of a diff.
Edits edits_in(std::string_view text, const ReplyContext& context) {
  Edits edits = find_edits(text, context.is_cut_off);
  if (!edits.edits.empty() || !edits.fault.is_empty()) return edits;
  const std::vector<Block> blocks = find_blocks(text);
  if (choose_block(blocks, context).block != nullptr) return edits;
  return find_hunks(text, blocks, context.is_cut_off);
}

/// Why edits cannot be used.
struct Unusable {
  ReplyFault fault;
  Reason reason = Reason::None;
};

/// The parent with the edits applied, or the reason why this is not possible.
std::expected<std::string, Unusable> edited(const Edits& edits, const ReplyContext& context) {
  const auto unusable_as = [](ReplyFault fault, Reason reason = Reason::None) {
    return std::unexpected(Unusable{std::move(fault), reason});
  };
  if (!edits.fault.is_empty()) return unusable_as(edits.fault);
  if (context.parent.empty())
    return unusable_as(
        {ReplyTrouble::NoParent, "",
         "the reply holds edits, but there is no parent to edit: send the whole file"},
        Reason::WrongForm);
  if (context.form == ReplyForm::Whole)
    return unusable_as({ReplyTrouble::UnwantedEdits, "",
                        "the reply holds edits where a whole file, written anew, was asked for"},
                       Reason::WrongForm);
  auto source = apply_edits(context.parent, edits.edits);
  if (!source) return unusable_as(std::move(source.error()));
  if (trim(*source).empty())
    return unusable_as({ReplyTrouble::NothingLeft, "", "the edits leave nothing of the parent"});
  if (trim(*source) == trim(context.parent))
    return unusable_as({ReplyTrouble::NoChange, "edits", "the edits leave the parent as it is"});
  return std::move(*source);
}

/// The whole file in a reply that also sends edits, as some models do; null where there is none.
const Block* file_beside_edits(const std::vector<Block>& blocks, const ReplyContext& context) {
  if (context.form == ReplyForm::Edits) return nullptr;
  for (const Block& block : blocks)
    if (block.is_closed && find_edits(block.text, false).edits.empty() && may_be_code(block) &&
        is_candidate(block.text, context) && trim(block.text) != trim(context.parent))
      return &block;
  return nullptr;
}

/// Reads a reply that consists of fenced blocks and edits.
ParsedReply read_blocks_and_edits(std::string_view text, const ReplyContext& context) {
  const Edits edits = edits_in(text, context);
  if (edits.edits.empty() && edits.fault.is_empty()) {
    ParsedReply reply = whole_file(text, context);
    if (!reply.source.empty() && context.form == ReplyForm::Edits)
      return unusable({ReplyTrouble::UnwantedFile, "",
                       "the reply holds a whole file where edits of the parent were asked for"},
                      std::move(reply.plan), Reason::WrongForm);
    if (!reply.source.empty() && trim(reply.source) == trim(context.parent))
      return unusable(
          {ReplyTrouble::NoChange, "file", "the reply repeats the parent without any change"},
          std::move(reply.plan));
    return reply;
  }
  auto source = edited(edits, context);
  if (source) return {std::move(*source), "", plan_before(text, edits.begin), ""};
  const std::vector<Block> blocks = find_blocks(text);
  if (const Block* block = file_beside_edits(blocks, context))
    return {
        block->text, "", plan_before(text, std::min(block->begin, edits.begin)),
        fmt::format("The edits of the reply cannot be used ({}); the whole file in its line {} "
                    "was taken.",
                    sanitise_line(source.error().fault.words, 200), line_of(text, block->begin))};
  return unusable(std::move(source.error().fault), plan_before(text, edits.begin),
                  source.error().reason);
}

/// Whether fenced blocks or edits hold a candidate, so that no other form need be tried.
bool holds_code(std::string_view text, const ReplyContext& context) {
  const std::vector<Block> blocks = find_blocks(text);
  if (choose_block(blocks, context).block != nullptr) return true;
  if (blocks.empty() && is_bare_source(text, context)) return true;
  const Edits edits = edits_in(text, context);
  return !edits.edits.empty() || !edits.fault.is_empty();
}

/// Reads code that is inside JSON or between tags; nothing where there is none.
std::optional<ParsedReply> read_containers(std::string_view text, const ReplyContext& context,
                                           const IsSource& is_source) {
  auto found = code_in_json(text, is_source);
  if (!found) found = code_in_tags(text, is_source);
  if (!found) return std::nullopt;
  std::string plan = plan_before(text, found->begin);
  if (!found->is_closed && context.is_cut_off)
    return unusable({ReplyTrouble::CutOff, found->form,
                     "the reply was cut off inside " + found->form + ", which holds its code"},
                    std::move(plan));
  ParsedReply reply = read_blocks_and_edits(found->text, context);
  reply.plan = std::move(plan);
  if (!reply.source.empty())
    reply.note = fmt::format("The code was taken out of {}{}.", found->form,
                             found->is_closed ? "" : ", which is never closed");
  return reply;
}

/// Whether the reply holds code in JSON that is incomplete or invalid.
bool is_broken_json(std::string_view text, const ReplyContext& context) {
  std::string json(trim(text));
  for (const Block& block : find_blocks(text))
    if (is_data(block.text)) json = trim(block.text);
  const std::string_view mark = row_of(context.target).kernel_mark;
  const std::string_view wanted = mark.empty() ? context.function : mark;
  return is_data(json) && !json.starts_with('<') && json.find(wanted) != std::string::npos;
}

/// Explains why a reply that holds no code in any form cannot be used.
ParsedReply unusable_form(std::string_view text, bool is_thinking, const ReplyContext& context) {
  if (is_broken_json(text, context))
    return context.is_cut_off
               ? unusable({ReplyTrouble::CutOff, "JSON",
                           "the reply was cut off inside the JSON that holds its code"},
                          "")
               : unusable({ReplyTrouble::BrokenJson, "",
                           "the reply holds its code in JSON that cannot be read: send the code "
                           "in one fenced block"},
                          "");
  if (is_thinking && trim(text).empty())
    return unusable({ReplyTrouble::OnlyThinking, "", "the reply holds nothing behind its thinking"},
                    "");
  return whole_file(text, context);
}

}  // namespace

ParsedReply parse_reply(std::string_view raw, const ReplyContext& context) {
  const IsSource is_source = [&](std::string_view code) { return is_candidate(code, context); };
  const auto in_plain_form = [&](std::string_view text) {
    return with_bare_diff_fenced(without_outer_fences(with_patches_as_diffs(text), is_source));
  };
  const auto thought = llm::part_thinking(in_plain_characters(raw, context.parent));
  const auto around = llm::around_last_closing_tag(thought.text);
  const std::string text = in_plain_form(around.behind);
  if (holds_code(text, context)) return read_blocks_and_edits(text, context);
  // The closing tag of a thinking block may follow the code, with no opening tag before it.
  if (const std::string before = in_plain_form(around.before);
      !context.is_cut_off && holds_code(before, context))
    return read_blocks_and_edits(before, context);
  if (thought.is_open)
    return unusable({ReplyTrouble::CutOff, "thinking",
                     "the reply was cut off while thinking: <think> is never closed"},
                    sanitise(trim(text), kPlanBytes));
  if (auto reply = read_containers(text, context, is_source)) return std::move(*reply);
  return unusable_form(text, !thought.thinking.empty(), context);
}

namespace {

/// The words of a line that may be file names, such as task.yaml in "**`task.yaml`**:".
std::vector<std::string> file_words(std::string_view line) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./\\-";
  std::vector<std::string> words;
  std::string word;
  for (const char c : std::string(line) + " ") {
    if (kLetters.find(c) != std::string_view::npos) {
      word += c;
      continue;
    }
    if (word.ends_with('.')) word.pop_back();  // the end of a sentence
    if (word.find_first_of("./\\") != std::string::npos) words.push_back(word);
    word.clear();
  }
  return words;
}

/// The last line between `begin` and `end` that is not blank.
std::string_view line_before(std::string_view text, std::size_t begin, std::size_t end) {
  const auto lines = split_lines(text.substr(begin, end - begin));
  for (auto line = lines.rbegin(); line != lines.rend(); ++line)
    if (!trim(*line).empty()) return *line;
  return {};
}

/// The file name in the info string of a block's fence, else the one of `names` that ends the line
/// before the block; empty where neither gives a name.
std::string name_of_block(std::string_view text, std::size_t previous_end, const Block& block,
                          std::span<const std::string> names) {
  if (const auto words = file_words(block.label); !words.empty()) return words.back();
  const auto before = file_words(line_before(text, previous_end, block.begin));
  return !before.empty() && contains(names, before.back()) ? before.back() : std::string();
}

}  // namespace

ParsedFiles parse_files(std::string_view raw, std::span<const std::string> names, bool is_cut_off) {
  const auto thought = llm::part_thinking(in_plain_characters(raw, ""));
  const auto around = llm::around_last_closing_tag(thought.text);
  const bool is_behind = around.before.empty() || !find_blocks(around.behind).empty();
  const std::string text = with_patches_as_diffs(is_behind ? around.behind : around.before);
  ParsedFiles parsed;
  const auto unusable_files = [](ReplyTrouble trouble, std::string about, std::string evidence) {
    return ParsedFiles{{}, std::move(evidence), trouble, std::move(about)};
  };
  std::size_t previous_end = 0;
  for (const Block& block : find_blocks(text)) {
    const std::string name = name_of_block(text, previous_end, block, names);
    previous_end = block.end;
    if (name.empty()) continue;
    if (!contains(names, name))
      return unusable_files(ReplyTrouble::UnknownFile, sanitise(name, 80),
                            fmt::format("a block is named '{}'; the files are {}, without a folder",
                                        sanitise(name, 80), fmt::join(names, ", ")));
    if (!block.is_closed && is_cut_off)
      return unusable_files(ReplyTrouble::CutOff, name,
                            fmt::format("the reply was cut off inside {}: write less", name));
    if (block.text.size() > kFileBytes)
      return unusable_files(ReplyTrouble::LongFile, name,
                            fmt::format("{} is longer than {} bytes", name, kFileBytes));
    parsed.files[name] = block.text;
  }
  if (parsed.files.empty())
    return unusable_files(ReplyTrouble::NoFile, "",
                          fmt::format("no fenced block of the reply is named after a file: {}",
                                      fmt::join(names, ", ")));
  return parsed;
}

}  // namespace kw::propose
