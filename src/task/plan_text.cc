// Finds brackets, separators and line ends in the directives of a launch plan.
// SPDX-License-Identifier: Apache-2.0
#include "task/plan_text.h"

#include <algorithm>

#include "base/text.h"

namespace kw::task {
namespace {

/// Counts the open brackets while walking over a text; brackets in quotes do not count.
class BracketWalk {
 public:
  /// Takes the next character; returns whether the character is outside quotes.
  bool take(char c) {
    if (c == '"') {
      is_quoted_ = !is_quoted_;
      return false;
    }
    if (is_quoted_) return false;
    if (c == '(' || c == '[') ++depth_;
    if (c == ')' || c == ']') --depth_;
    return true;
  }
  int depth() const { return depth_; }

 private:
  int depth_ = 0;
  bool is_quoted_ = false;
};

/// The line up to a comment, which begins with `comment` outside quotes.
std::string_view without_comment(std::string_view text, std::string_view comment) {
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') is_quoted = !is_quoted;
    if (!is_quoted && text.substr(i).starts_with(comment)) return trim(text.substr(0, i));
  }
  return text;
}

}  // namespace

PlanPiece PlanPiece::part(std::size_t begin, std::size_t count) const {
  const auto cut = text.substr(std::min(begin, text.size()), count);
  const auto trimmed = trim(cut);
  return {trimmed, at + static_cast<std::size_t>(trimmed.data() - text.data())};
}

std::optional<std::string_view> directive_of(std::string_view line, std::string_view comment) {
  line = trim(line);
  if (!line.starts_with(comment)) return std::nullopt;
  line = trim(line.substr(comment.size()));
  if (!line.starts_with("kw:")) return std::nullopt;
  return without_comment(trim(line.substr(3)), comment);
}

DirectiveText join_directive(std::string_view source, const std::vector<std::string_view>& lines,
                             std::size_t first, std::string_view start, std::string_view comment) {
  DirectiveText directive;
  directive.at = static_cast<std::size_t>(start.data() - source.data());
  directive.text = start;
  BracketWalk walk;
  for (const char c : start) walk.take(c);
  while (walk.depth() > 0 && first + directive.lines < lines.size()) {
    const auto more = directive_of(lines[first + directive.lines], comment);
    if (!more) break;
    const auto begin = static_cast<std::size_t>(more->data() - source.data());
    directive.text.resize(begin - directive.at, ' ');
    directive.text += *more;
    ++directive.lines;
    for (const char c : *more) walk.take(c);
  }
  return directive;
}

std::vector<PlanPiece> split_piece(PlanPiece piece, char separator) {
  std::vector<PlanPiece> parts;
  BracketWalk walk;
  std::size_t start = 0;
  for (std::size_t i = 0; i < piece.text.size(); ++i) {
    const char c = piece.text[i];
    if (!walk.take(c) || walk.depth() != 0 || c != separator) continue;
    parts.push_back(piece.part(start, i - start));
    start = i + 1;
  }
  parts.push_back(piece.part(start));
  return parts;
}

std::size_t find_outside(std::string_view text, std::string_view needle) {
  BracketWalk walk;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (walk.take(text[i]) && walk.depth() == 0 && text.substr(i).starts_with(needle)) return i;
  return kNone;
}

std::size_t find_word(std::string_view text, std::string_view word) {
  const auto is_edge = [&](std::size_t i) {
    return i >= text.size() || leading_word(text.substr(i, 1)).empty();
  };
  BracketWalk walk;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_outside = walk.take(text[i]) && walk.depth() == 0;
    if (is_outside && text.substr(i).starts_with(word) && (i == 0 || is_edge(i - 1)) &&
        is_edge(i + word.size()))
      return i;
  }
  return kNone;
}

std::size_t find_closing_bracket(std::string_view text, std::size_t open, bool angles) {
  BracketWalk walk;
  int angle = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (!walk.take(text[i])) continue;
    if (angles && walk.depth() == 0 && text[i] == '<') ++angle;
    if (angles && walk.depth() == 0 && text[i] == '>') --angle;
    if (walk.depth() < 0) return kNone;
    if (walk.depth() == 0 && angle == 0) return i;
  }
  return kNone;
}

std::string_view leading_word(std::string_view text) {
  const auto end = std::ranges::find_if(text, [](char c) {
    return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_');
  });
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

}  // namespace kw::task
