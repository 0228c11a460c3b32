// Finds the tags of thinking blocks, pairs them, and removes the blocks.
// SPDX-License-Identifier: Apache-2.0
#include "llm/thinking.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/contains.h"
#include "base/letter_case.h"
#include "base/text.h"

namespace kw::llm {
namespace {

constexpr auto kNames =
    std::to_array<std::string_view>({"THINK", "THINKING", "THOUGHT", "REASONING"});
constexpr std::size_t kLongestTag = 16;  // "</reasoning>" with room for blanks

struct Tag {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool is_closing = false;
  bool begins_line = false;  ///< Only blanks and other tags stand before the tag in its line.
};

/// The tag at `at`, which is a '<' or, as some models write it, a '['.
std::optional<Tag> tag_at(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at + 1, kLongestTag);
  const std::size_t close = rest.find(text[at] == '<' ? '>' : ']');
  if (close == std::string_view::npos) return std::nullopt;
  std::string_view name = rest.substr(0, close);
  const bool is_closing = name.starts_with('/');
  if (is_closing) name.remove_prefix(1);
  if (!contains(kNames, upper_case(trim(name)))) return std::nullopt;
  return Tag{at, at + 1 + close + 1, is_closing, false};
}

std::vector<Tag> tags_of(std::string_view text) {
  std::vector<Tag> tags;
  constexpr std::string_view kOpening = "<[";
  for (std::size_t at = text.find_first_of(kOpening); at < text.size();
       at = text.find_first_of(kOpening, at)) {
    auto tag = tag_at(text, at);
    if (!tag) {
      ++at;
      continue;
    }
    const std::size_t newline = text.substr(0, at).rfind('\n');
    std::size_t from = newline == std::string_view::npos ? 0 : newline + 1;
    if (!tags.empty()) from = std::max(from, tags.back().end);
    tag->begins_line = trim(text.substr(from, at - from)).empty();
    at = tag->end;
    tags.push_back(*tag);
  }
  return tags;
}

bool has_fence(std::string_view text) {
  return text.find("```") != std::string_view::npos || text.find("~~~") != std::string_view::npos;
}

/// The first closing tag at or after `from`, or tags.size().
std::size_t closing_behind(const std::vector<Tag>& tags, std::size_t from) {
  while (from < tags.size() && !tags[from].is_closing) ++from;
  return from;
}

void add_thinking(PartedReply& parted, std::string_view piece) {
  piece = trim(piece);
  if (piece.empty()) return;
  if (!parted.thinking.empty()) parted.thinking += '\n';
  parted.thinking += piece;
}

/// Handles a closing tag without an opening one: the text before it is thinking, whose opening tag
/// was in the prompt's template, unless the answer is before the tag.
void part_at_lone_tag(PartedReply& parted) {
  const AroundTag around = around_last_closing_tag(parted.text);
  if (around.behind.size() == parted.text.size() || trim(around.behind).empty()) return;
  if (has_fence(around.before) && !has_fence(around.behind)) return;
  PartedReply behind;
  add_thinking(behind, around.before);
  add_thinking(behind, parted.thinking);
  behind.text = trim(around.behind);
  behind.is_open = parted.is_open;
  parted = std::move(behind);
}

}  // namespace

AroundTag around_last_closing_tag(std::string_view text) {
  std::optional<Tag> last;
  bool is_mentioned = false;  // whether an opening tag occurred in a sentence and is not closed yet
  for (const Tag& tag : tags_of(text)) {
    if (tag.is_closing && !is_mentioned) last = tag;
    is_mentioned = !tag.is_closing;
  }
  if (!last) return {{}, text};
  return {text.substr(0, last->begin), text.substr(last->end)};
}

PartedReply part_thinking(std::string_view reply) {
  const std::vector<Tag> tags = tags_of(reply);
  PartedReply parted;
  std::size_t at = 0;
  for (std::size_t i = 0; i < tags.size(); ++i) {
    if (tags[i].is_closing || !tags[i].begins_line) {
      // A tag in the middle of a line is mentioned in a sentence, and so is the closing tag that
      // follows it; neither marks thinking.
      if (!tags[i].is_closing && i + 1 < tags.size() && tags[i + 1].is_closing) ++i;
      continue;
    }
    parted.text += reply.substr(at, tags[i].begin - at);
    const std::size_t end = closing_behind(tags, i + 1);
    if (end == tags.size()) {
      add_thinking(parted, reply.substr(tags[i].end));
      parted.is_open = true;
      at = reply.size();
      break;
    }
    add_thinking(parted, reply.substr(tags[i].end, tags[end].begin - tags[i].end));
    at = tags[end].end;
    i = end;
  }
  if (at == 0) {
    parted.text = reply;
  } else {
    parted.text += reply.substr(at);
    parted.text = std::string(trim(parted.text));
  }
  part_at_lone_tag(parted);
  return parted;
}

}  // namespace kw::llm
