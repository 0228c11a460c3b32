// Finds and writes fenced blocks, and removes superfluous empty lines.
// SPDX-License-Identifier: Apache-2.0
#include "propose/markdown.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/contains.h"
#include "base/foreign_text.h"
#include "base/text.h"
#include "record/target.h"

namespace kw::propose {
namespace {

constexpr std::size_t kShortestFence = 3;
constexpr int kMostLateFences = 100;  // fences that open at the end of a line

struct Fence {
  char mark = '`';
  std::size_t length = 0;
  std::size_t indent = 0;
  std::string_view info;  ///< The text after the marks, without blanks around it.
};

std::optional<Fence> fence_of(std::string_view line) {
  const std::size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
  const std::string_view rest = line.substr(indent);
  if (rest.empty() || (rest[0] != '`' && rest[0] != '~')) return std::nullopt;
  const std::size_t length = std::min(rest.find_first_not_of(rest[0]), rest.size());
  if (length < kShortestFence) return std::nullopt;
  const std::string_view info = trim(rest.substr(length));
  // Backticks that follow in the same line show inline code, as in "```x``` is", and not a fence.
  if (rest[0] == '`' && info.find('`') != std::string_view::npos) return std::nullopt;
  return Fence{rest[0], length, indent, info};
}

/// Offset of a fence that opens at the end of a line of text, as in "Here it is: ```cuda". At most
/// one word follows the fence, and the line has no other backticks: these would show inline code.
std::optional<std::size_t> trailing_fence(std::string_view line) {
  constexpr std::string_view kMarks = "```";
  constexpr std::size_t kLongestInfo = 16;
  const std::size_t at = line.find(kMarks);
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  const char before = line[at - 1];
  if (before != ' ' && before != '\t' && before != ':' && before != '>') return std::nullopt;
  const auto fence = fence_of(line.substr(at));
  if (!fence || fence->info.size() > kLongestInfo) return std::nullopt;
  if (fence->info.find_first_of(" \t") != std::string_view::npos) return std::nullopt;
  return at;
}

/// Number of lines that could close `fence`, up to the next fence with an info string.
std::size_t bare_fences_in(std::string_view text, const Fence& fence) {
  std::size_t bare = 0;
  for (const std::string_view line : split_lines(text)) {
    const auto next = fence_of(line);
    if (next && !next->info.empty()) break;
    if (next && next->mark == fence.mark && next->length >= fence.length) ++bare;
  }
  return bare;
}

/// Whether a fence at the end of a line of text opens a block: code follows at once, and one of the
/// fences after it remains to close the block. A fence with an info string may also stay open.
bool opens_block(const Fence& fence, std::string_view rest) {
  const std::string_view text = trim(rest);
  if (text.empty() || fence_of(text.substr(0, text.find('\n')))) return false;
  return bare_fences_in(rest, fence) % 2 == 1 || !fence.info.empty();
}

/// Offset of a fence that closes a block at the end of a line of code, as in "}```", possibly with
/// text after it. Two runs of backticks are inline code in a comment, and "~~~x" is C++.
std::optional<std::size_t> glued_fence(std::string_view line, const Fence& open) {
  const std::size_t at = line.find(std::string(open.length, open.mark));
  if (at == std::string_view::npos || trim(line.substr(0, at)).empty()) return std::nullopt;
  const std::size_t end = std::min(line.find_first_not_of(open.mark, at), line.size());
  const std::string_view behind = trim(line.substr(end));
  if (open.mark == '~' && !behind.empty()) return std::nullopt;
  if (line.substr(0, at).find('`') != std::string_view::npos) return std::nullopt;
  return behind.find('`') == std::string_view::npos ? std::optional(at) : std::nullopt;
}

/// Whether the text after the marks of a fence is an info string: one word, possibly with
/// attributes or a file name ("cpp title=k"). Anything else is prose.
bool is_info(std::string_view info) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+#.-";
  const std::size_t end = std::min(info.find_first_of(" \t{,:"), info.size());
  const std::string_view word = info.substr(0, end);
  if (word.find_first_not_of(kLetters) != std::string_view::npos || word.ends_with('.'))
    return false;
  const std::string_view more = trim(info.substr(end));
  const std::size_t dot = more.find('.');
  return more.empty() || more.front() == '{' || more.find('=') != std::string_view::npos ||
         (dot != std::string_view::npos && !more.ends_with('.') &&
          more.find(' ') == std::string_view::npos);
}

std::string first_word(std::string_view info) {
  std::string word(info.substr(0, std::min(info.find_first_of(" \t{,:"), info.size())));
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word;
}

/// Whether `fence`, found inside the block that `open` began, ends the block.
bool ends_block(const Fence& fence, const Fence& open) {
  if (fence.mark != open.mark || fence.length < open.length) return false;
  return fence.length == open.length || !is_info(fence.info) || fence.info.empty();
}

/// Length of the longest run of backticks.
std::size_t longest_run(std::string_view text) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

std::string_view unindented(std::string_view line, std::size_t most) {
  const std::size_t blank = std::min(line.find_first_not_of(" \t"), line.size());
  return line.substr(std::min(blank, most));
}

}  // namespace

std::string fenced(std::string_view text, std::string_view info) {
  const std::string marks(std::max(kShortestFence, longest_run(text) + 1), '`');
  std::string out = marks + std::string(info) + "\n" + std::string(text);
  if (!out.ends_with('\n')) out += '\n';
  return out + marks;
}

std::string quotation(std::string_view text) {
  return trim(text).empty() ? std::string() : fenced(sanitise(text), "");
}

std::string as_code(std::string_view text) {
  const std::string line = sanitise_line(trim(text));
  const std::string marks(longest_run(line) + 1, '`');
  // A blank separates the marks from a backtick at either end of the text.
  const bool touches = line.starts_with('`') || line.ends_with('`');
  return touches ? marks + " " + line + " " + marks : marks + line + marks;
}

std::vector<Block> find_blocks(std::string_view text) {
  std::vector<Block> blocks;
  std::optional<Fence> open;
  int late_fences = 0;
  const auto begin = [&](const Fence& fence, std::size_t at) {
    open = fence;
    blocks.push_back({first_word(fence.info), "", at, text.size(), false, std::string(fence.info)});
  };
  const auto end_at = [&](std::size_t at) {
    blocks.back().is_closed = true;
    blocks.back().end = at;
    open.reset();
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::size_t next = std::min(end + 1, text.size());
    std::string_view line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    const auto fence = fence_of(line);
    if (!open && fence) {
      begin(*fence, at);
    } else if (!open) {
      const auto marks = late_fences < kMostLateFences ? trailing_fence(line) : std::nullopt;
      late_fences += marks ? 1 : 0;
      if (const auto late = marks ? fence_of(line.substr(*marks)) : std::nullopt;
          late && opens_block(*late, text.substr(next)))
        begin(*late, at + *marks);
    } else if (fence && ends_block(*fence, *open)) {
      const bool begins_next = !fence->info.empty() && is_info(fence->info);
      end_at(begins_next ? at : next);
      if (begins_next) begin(*fence, at);
    } else {
      const auto marks = late_fences < kMostLateFences ? glued_fence(line, *open) : std::nullopt;
      late_fences += marks ? 1 : 0;
      const bool is_end = marks && bare_fences_in(text.substr(next), *open) % 2 == 0;
      blocks.back().text += unindented(is_end ? line.substr(0, *marks) : line, open->indent);
      blocks.back().text += '\n';
      if (is_end) end_at(next);
    }
    at = next;
  }
  return blocks;
}

bool is_code_info(std::string_view info) {
  // The fence says little about the target: models write C++ over CUDA and the other way round.
  return info.empty() || std::ranges::any_of(all_targets(), [&](Target target) {
           return contains(row_of(target).reply_fences, info);
         });
}

std::string tidied(std::string_view text) {
  std::string out;
  std::optional<Fence> open;
  std::size_t blanks = 0;
  for (const std::string_view line : split_lines(text)) {
    if (!open && trim(line).empty()) {
      ++blanks;
      continue;
    }
    if (blanks > 0 && !out.empty()) out += '\n';
    blanks = 0;
    out += line;
    out += '\n';
    const auto fence = fence_of(line);
    if (!fence) continue;
    if (!open)
      open = fence;
    else if (fence->mark == open->mark && fence->length >= open->length && fence->info.empty())
      open.reset();
  }
  return out;
}

}  // namespace kw::propose
