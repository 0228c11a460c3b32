// From the text of a reply to a source.
// SPDX-License-Identifier: Apache-2.0
#include "propose/reply.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/contains.h"
#include "base/text.h"
#include "memory/lesson_rules.h"
#include "propose/edits.h"
#include "propose/markdown.h"
#include "propose/unified_diff.h"
#include "task/code.h"
#include "task/header.h"

namespace kw::propose {
namespace {

constexpr auto kCodeInfos = std::to_array<std::string_view>(
    {"", "cpp", "c++", "cc", "cxx", "c", "h", "hpp", "cuda", "cu", "openmp"});

/// What is no C++ whatever it holds: a kernel inside it is quoted, or changed, or a string.
constexpr auto kForeignInfos = std::to_array<std::string_view>(
    {"python",     "py",   "json", "jsonc", "yaml",    "yml",     "toml",       "xml",
     "html",       "bash", "sh",   "shell", "zsh",     "console", "md",         "markdown",
     "rust",       "go",   "java", "julia", "fortran", "js",      "javascript", "ts",
     "typescript", "asm",  "ptx",  "sass",  "mlir",    "cmake",   "make",       "makefile"});

/// What stands behind the thinking that some models write in front of their answer.
std::string_view answer_in(std::string_view text) {
  constexpr std::string_view kEnd = "</think>";
  const std::size_t end = text.rfind(kEnd);
  return end == std::string_view::npos ? text : text.substr(end + kEnd.size());
}

std::string without_returns(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') out += text[i];
  return out;
}

/// Defined outside every brace, or inside those of an `extern "C"`.
bool defines(std::string_view source, std::string_view function) {
  if (source.size() > task::kMaxSourceBytes) return false;
  if (task::defines_function(source, function)) return true;
  const auto tokens = task::tokenize(source);
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!tokens[i].is("extern") || !tokens[i + 2].is("{")) continue;
    const std::size_t close = task::find_closing(tokens, i + 2);
    const std::size_t from = tokens[i + 2].offset + 1;
    const std::size_t to = close < tokens.size() ? tokens[close].offset : source.size();
    if (task::defines_function(source.substr(from, to - from), function)) return true;
  }
  return false;
}

/// Whether it looks like a whole candidate.
bool is_candidate(std::string_view source, const ReplyContext& context) {
  if (context.target == Target::Cuda) return source.find("__global__") != std::string_view::npos;
  return defines(source, context.function);
}

/// Whether its fence allows that it is C++; many a name of the language is unknown here.
bool may_be_code(const Block& block) {
  return !trim(block.text).empty() && !is_diff(block) && !contains(kForeignInfos, block.info);
}

const Block* choose_block(const std::vector<Block>& blocks, const ReplyContext& context) {
  const Block* chosen = nullptr;
  for (const Block& block : blocks)
    if (may_be_code(block) && is_candidate(block.text, context)) chosen = &block;
  if (chosen != nullptr) return chosen;
  for (const Block& block : blocks)
    if (may_be_code(block) && contains(kCodeInfos, block.info) &&
        (chosen == nullptr || block.text.size() > chosen->text.size()))
      chosen = &block;
  return chosen;
}

std::string plan_before(std::string_view text, std::size_t end) {
  std::string_view plan = text.substr(0, end);
  // The fence that a SEARCH block stands in is no part of the plan.
  const std::size_t line = plan.substr(0, plan.find_last_not_of("\n") + 1).rfind('\n');
  const std::string_view last = trim(plan.substr(line == std::string_view::npos ? 0 : line + 1));
  if (last.starts_with("```") && line != std::string_view::npos)
    plan = plan.substr(0, line);
  else if (last.starts_with("```"))
    plan = {};
  return sanitise(trim(plan), kPlanBytes);
}

ParsedReply unusable(std::string evidence, std::string plan) {
  return {"", std::move(evidence), std::move(plan)};
}

/// " (they are marked json, diff)"; empty where none is.
std::string marks_of(const std::vector<Block>& blocks) {
  std::vector<std::string> marks;
  for (const Block& block : blocks)
    if (!block.info.empty() && !contains(marks, block.info) && marks.size() < 4)
      marks.push_back(sanitise(block.info, 20));
  return marks.empty() ? "" : " (they are marked " + join(marks, ", ") + ")";
}

/// A whole file among the blocks, or without any fence.
ParsedReply whole_file(std::string_view text, const ReplyContext& context) {
  const std::vector<Block> blocks = find_blocks(text);
  const Block* block = choose_block(blocks, context);
  if (block == nullptr) {
    if (blocks.empty() && !context.is_cut_off && is_candidate(text, context) &&
        trim(text).find_first_of("/#estvic") == 0)
      return {std::string(text), "", ""};
    return unusable(context.is_cut_off ? "the reply was cut off before its code began"
                    : blocks.empty()   ? "the reply holds no fenced code block and no edits"
                                       : "no block of the reply holds C++ code" + marks_of(blocks),
                    sanitise(trim(text), kPlanBytes));
  }
  std::string plan = plan_before(text, block->begin);
  if (!block->is_closed && context.is_cut_off)
    return unusable(
        fmt::format("the reply was cut off in line {} of the code: its closing fence is "
                    "missing; write less, or send edits of the parent",
                    split_lines(block->text).size()),
        std::move(plan));
  return {block->text, "", std::move(plan)};
}

}  // namespace

ParsedReply parse_reply(std::string_view raw, const ReplyContext& context) {
  const std::string text = without_returns(answer_in(raw));
  const std::vector<Block> blocks = find_blocks(text);
  Edits edits = find_edits(text, context.is_cut_off);
  if (edits.edits.empty() && edits.trouble.empty() && choose_block(blocks, context) == nullptr)
    edits = find_hunks(text, blocks, context.is_cut_off);
  if (edits.edits.empty() && edits.trouble.empty()) {
    ParsedReply reply = whole_file(text, context);
    if (!reply.source.empty() && context.form == ReplyForm::Edits)
      return unusable(std::string(memory::kWholeForEdits), std::move(reply.plan));
    if (!reply.source.empty() && trim(reply.source) == trim(context.parent))
      return unusable("the reply repeats the parent without any change", std::move(reply.plan));
    return reply;
  }
  std::string evidence = edits.trouble;
  if (evidence.empty() && context.parent.empty()) evidence = memory::kEditsOfNothing;
  if (evidence.empty() && context.form == ReplyForm::Whole) evidence = memory::kEditsForWhole;
  if (evidence.empty()) {
    auto source = apply_edits(context.parent, edits.edits);
    if (!source)
      evidence = std::move(source.error());
    else if (trim(*source).empty())
      evidence = "the edits leave nothing of the parent";
    else if (trim(*source) == trim(context.parent))
      evidence = "the edits leave the parent as it is";
    else
      return {std::move(*source), "", plan_before(text, edits.begin)};
  }
  // Some models send edits and the file they lead to.
  for (const Block& block : blocks)
    if (context.form != ReplyForm::Edits && block.is_closed &&
        find_edits(block.text, false).edits.empty() && may_be_code(block) &&
        is_candidate(block.text, context) && trim(block.text) != trim(context.parent))
      return {block.text, "", plan_before(text, std::min(block.begin, edits.begin))};
  return unusable(std::move(evidence), plan_before(text, edits.begin));
}

namespace {

/// Words of a line that may be names of files: "**`task.yaml`**:" has one.
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

/// The last line with words before `end` and behind `begin`.
std::string_view line_before(std::string_view text, std::size_t begin, std::size_t end) {
  const auto lines = split_lines(text.substr(begin, end - begin));
  for (auto line = lines.rbegin(); line != lines.rend(); ++line)
    if (!trim(*line).empty()) return *line;
  return {};
}

/// What the fence of a block calls it, else which of `names` the line before ends with; empty:
/// nothing.
std::string name_of_block(std::string_view text, std::size_t previous_end, const Block& block,
                          std::span<const std::string> names) {
  if (const auto words = file_words(block.label); !words.empty()) return words.back();
  const auto before = file_words(line_before(text, previous_end, block.begin));
  return !before.empty() && contains(names, before.back()) ? before.back() : std::string();
}

}  // namespace

ParsedFiles parse_files(std::string_view raw, std::span<const std::string> names, bool is_cut_off) {
  const std::string text = without_returns(answer_in(raw));
  ParsedFiles parsed;
  const auto unusable_files = [](std::string evidence) {
    return ParsedFiles{{}, std::move(evidence)};
  };
  std::size_t previous_end = 0;
  for (const Block& block : find_blocks(text)) {
    const std::string name = name_of_block(text, previous_end, block, names);
    previous_end = block.end;
    if (name.empty()) continue;
    if (!contains(names, name))
      return unusable_files(fmt::format("a block is named '{}'; the files are {}, without a folder",
                                        sanitise(name, 80), fmt::join(names, ", ")));
    if (!block.is_closed && is_cut_off)
      return unusable_files(fmt::format("the reply was cut off inside {}: write less", name));
    if (block.text.size() > kFileBytes)
      return unusable_files(fmt::format("{} is longer than {} bytes", name, kFileBytes));
    parsed.files[name] = block.text;
  }
  if (parsed.files.empty())
    return unusable_files(fmt::format("no fenced block of the reply is named after a file: {}",
                                      fmt::join(names, ", ")));
  return parsed;
}

}  // namespace kw::propose
