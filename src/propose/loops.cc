// Scans C++ text for nested for loops.
// SPDX-License-Identifier: Apache-2.0
#include "propose/loops.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "base/characters.h"
#include "propose/independence.h"

namespace kw::propose {
namespace {

/// The source with comments, strings and preprocessor lines replaced by blanks of the same length.
std::string blank_out(std::string_view source) {
  std::string text(source);
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t k = from; k < to && k < text.size(); ++k)
      if (text[k] != '\n') text[k] = ' ';
  };
  bool line_start = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      line_start = true;
      continue;
    }
    std::size_t end = 0;
    if (c == '#' && line_start) {
      end = text.find('\n', i);
      while (end != std::string::npos && end > 0 && text[end - 1] == '\\')
        end = text.find('\n', end + 1);
    } else if (text.compare(i, 2, "//") == 0) {
      end = text.find('\n', i);
    } else if (text.compare(i, 2, "/*") == 0) {
      end = text.find("*/", i + 2);
      if (end != std::string::npos) end += 2;
    } else if (c == '"' || c == '\'') {
      end = i + 1;
      while (end < text.size() && text[end] != c && text[end] != '\n')
        end += text[end] == '\\' ? 2 : 1;
      ++end;
    } else {
      if (std::isspace(static_cast<unsigned char>(c)) == 0) line_start = false;
      continue;
    }
    if (end == std::string::npos || end > text.size()) end = text.size();
    blank(i, end);
    i = end == 0 ? 0 : end - 1;
  }
  return text;
}

bool word_at(const std::string& text, std::size_t at, std::string_view word) {
  return text.compare(at, word.size(), word) == 0 && (at == 0 || !is_name_char(text[at - 1])) &&
         (at + word.size() >= text.size() || !is_name_char(text[at + word.size()]));
}

std::size_t skip_space(const std::string& text, std::size_t at) {
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
  return at;
}

/// Offset after the bracket that closes the bracket at `open`, or the end of the text.
std::size_t past_closing(const std::string& text, std::size_t open, char left, char right) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == left) ++depth;
    if (text[i] == right && --depth == 0) return i + 1;
  }
  return text.size();
}

/// Offset after the statement that starts at `at`: a block, a controlled statement, or all up to
/// `;`.
std::size_t past_statement(const std::string& text, std::size_t at) {
  at = skip_space(text, at);
  if (at >= text.size()) return at;
  if (text[at] == '{') return past_closing(text, at, '{', '}');
  for (const char* keyword : {"for", "while", "if"}) {
    if (!word_at(text, at, keyword)) continue;
    const std::size_t open = text.find('(', at);
    if (open == std::string::npos) return text.size();
    std::size_t end = past_statement(text, past_closing(text, open, '(', ')'));
    const std::size_t next = skip_space(text, end);
    if (word_at(text, next, "else")) end = past_statement(text, next + 4);
    return end;
  }
  const std::size_t semicolon = text.find(';', at);
  return semicolon == std::string::npos ? text.size() : semicolon + 1;
}

std::size_t body_of(const std::string& text, std::size_t offset) {
  const std::size_t open = text.find('(', offset);
  if (open == std::string::npos) return text.size();
  return skip_space(text, past_closing(text, open, '(', ')'));
}

/// Variables that the range [from, to) uses only as `name += …` and does not declare.
std::vector<std::string> sums_of(const std::string& text, std::size_t from, std::size_t to) {
  std::set<std::string> added;
  std::set<std::string> spoiled;
  for (std::size_t i = from; i < to;) {
    if (!is_name_char(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < to && is_name_char(text[end])) ++end;
    const std::string word = text.substr(i, end - i);
    const std::size_t next = skip_space(text, end);
    const bool starts_statement = [&] {
      std::size_t back = i;
      while (back > 0 && std::isspace(static_cast<unsigned char>(text[back - 1])) != 0) --back;
      return back == 0 || text[back - 1] == ';' || text[back - 1] == '{' || text[back - 1] == '}' ||
             text[back - 1] == ')';
    }();
    if (starts_statement && text.compare(next, 2, "+=") == 0)
      added.insert(word);
    else
      spoiled.insert(word);
    i = end;
  }
  std::vector<std::string> sums;
  std::set_difference(added.begin(), added.end(), spoiled.begin(), spoiled.end(),
                      std::back_inserter(sums));
  return sums;
}

bool is_parallel(const std::string& text, const SourceLoop& loop, std::size_t body) {
  const std::size_t open = text.find('(', loop.offset);
  if (open == std::string::npos || body >= loop.end) return false;
  const std::size_t close = past_closing(text, open, '(', ')');
  if (close <= open + 1) return false;
  const std::string_view all = text;
  return has_independent_iterations(
      {all.substr(open + 1, close - open - 2), all.substr(body, loop.end - body), loop.sums});
}

}  // namespace

std::vector<SourceLoop> find_loops(std::string_view source) {
  const std::string text = blank_out(source);
  std::vector<SourceLoop> loops;
  for (std::size_t i = 0; i + 3 < text.size(); ++i) {
    if (!word_at(text, i, "for")) continue;
    SourceLoop loop;
    loop.offset = i;
    loop.end = past_statement(text, i);
    for (SourceLoop& outer : loops) {
      if (i < outer.offset || i >= outer.end) continue;
      ++loop.depth;
      outer.is_innermost = false;
      if (outer.depth + 1 != loop.depth) continue;
      std::size_t start = body_of(text, outer.offset);
      std::size_t stop = outer.end;
      if (start < text.size() && text[start] == '{') {
        start = skip_space(text, start + 1);
        --stop;
      }
      loop.is_only_child = start == i && skip_space(text, loop.end) >= stop;
    }
    const std::size_t body = body_of(text, i);
    loop.sums = sums_of(text, body, loop.end);
    loop.is_parallel = is_parallel(text, loop, body);
    loops.push_back(loop);
  }
  return loops;
}

std::string insert_lines(std::string_view source, std::vector<Insertion> insertions) {
  std::sort(insertions.begin(), insertions.end(),
            [](const Insertion& a, const Insertion& b) { return a.offset > b.offset; });
  std::string text(source);
  for (const Insertion& insertion : insertions) {
    const std::size_t newline = text.rfind('\n', insertion.offset);
    const std::size_t line_start = newline == std::string::npos ? 0 : newline + 1;
    std::string indent = text.substr(line_start, insertion.offset - line_start);
    // A pragma needs a line of its own, so a line break is added where code precedes the loop in
    // its line.
    const bool alone = indent.find_first_not_of(" \t") == std::string::npos;
    text.insert(insertion.offset,
                (alone ? "" : "\n") + insertion.line + "\n" + (alone ? indent : ""));
  }
  return text;
}

}  // namespace kw::propose
