// Leaves out paragraphs of Markdown and functions of C++.
// SPDX-License-Identifier: Apache-2.0
#include "propose/spec_text.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/text.h"
#include "lex/lexer.h"
#include "record/target.h"

namespace kw::propose {
namespace {

constexpr std::string_view kGate = "**Gate.**";

/// Where the lines of comments directly above a position begin.
std::size_t begin_of_comments(std::string_view text, std::size_t at) {
  at = text.rfind('\n', at) == std::string_view::npos ? 0 : text.rfind('\n', at) + 1;
  while (at > 0) {
    const std::size_t before = text.rfind('\n', at - 2);
    const std::size_t line = at < 2 || before == std::string_view::npos ? 0 : before + 1;
    if (!trim(text.substr(line, at - line)).starts_with("//")) break;
    at = line;
  }
  return at;
}

/// The text without its first function of this name; false: there is none.
bool cut_function(std::string& text, std::string_view name) {
  const lex::Tokens tokens = lex::tokenize(text);
  std::size_t begin = 0;  // the first token of the declaration
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].is("{")) {
      i = std::min(lex::find_closing(tokens, i), tokens.size() - 1);
      begin = i + 1;
      continue;
    }
    if (tokens[i].is(";")) begin = i + 1;
    if (!tokens[i].is(name) || !tokens[i + 1].is("(")) continue;
    const std::size_t open = lex::find_closing(tokens, i + 1) + 1;
    if (open >= tokens.size() || !tokens[open].is("{")) continue;
    const std::size_t close = lex::find_closing(tokens, open);
    if (close >= tokens.size()) return false;
    const std::size_t from = begin_of_comments(text, tokens[begin].offset);
    std::size_t to = tokens[close].offset + 1;
    while (to < text.size() && std::isspace(static_cast<unsigned char>(text[to])) != 0) ++to;
    text.erase(from, to - from);
    return true;
  }
  return false;
}

/// Replaces the constants of a variant's fixed dims, which the overloads of task/narrowed.h define
/// one a line, by their values where they are used.
std::string without_fixed_dims(std::string_view text) {
  constexpr std::string_view kMark = "  [[maybe_unused]] const long long ";
  std::string shown;
  std::vector<std::pair<std::string, std::string>> values;
  for (const std::string_view line : split_lines(text)) {
    if (line.starts_with(kMark) && line.ends_with(';')) {
      const std::string_view constant = line.substr(kMark.size(), line.size() - kMark.size() - 1);
      if (const auto equals = constant.find(" = "); equals != std::string_view::npos) {
        values.emplace_back(constant.substr(0, equals), constant.substr(equals + 3));
        continue;
      }
    }
    if (line == "}") values.clear();
    std::size_t begin = 0;  // of what is not yet copied
    if (!values.empty())
      for (const lex::Token& token : lex::tokenize(line)) {
        const auto known =
            std::ranges::find(values, token.text, [](const auto& one) { return one.first; });
        if (known == values.end()) continue;
        shown += line.substr(begin, token.offset - begin);
        shown += known->second;
        begin = token.end;
      }
    shown += line.substr(begin);
    shown += '\n';
  }
  return shown;
}

}  // namespace

std::string shown_spec(std::string_view spec, Target target) {
  spec = trim(spec);
  if (spec.starts_with("# ")) spec = trim(spec.substr(std::min(spec.find('\n'), spec.size())));
  const std::string_view own = row_of(target).spec_mark;
  const auto is_for_others = [&](std::string_view paragraph) {
    return std::ranges::any_of(all_targets(), [&](Target other) {
      return other != target && paragraph.starts_with(row_of(other).spec_mark);
    });
  };
  std::string shown;
  for (std::size_t at = 0; at < spec.size();) {
    const std::size_t end = std::min(spec.find("\n\n", at), spec.size());
    std::string_view paragraph = spec.substr(at, end - at);
    at = end + 2;
    if (paragraph.starts_with(kGate) || is_for_others(paragraph)) continue;
    if (paragraph.starts_with(own)) paragraph = trim(paragraph.substr(own.size()));
    shown += (shown.empty() ? "" : "\n\n") + std::string(paragraph);
  }
  return shown;
}

std::string shown_reference(std::string_view reference) {
  std::size_t begin = 0;
  bool has_licence = false;
  while (reference.substr(begin).starts_with("//")) {
    const std::size_t end = std::min(reference.find('\n', begin), reference.size() - 1) + 1;
    has_licence =
        has_licence || reference.substr(begin, end - begin).contains("SPDX-License-Identifier");
    begin = end;
  }
  std::string text(reference.substr(has_licence ? begin : 0));
  while (cut_function(text, "magnitude")) {
  }
  return std::string(trim(without_fixed_dims(text))) + "\n";
}

}  // namespace kw::propose
