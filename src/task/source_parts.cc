// Finds where a source's includes end, despite conditional compilation.
// SPDX-License-Identifier: Apache-2.0
#include "task/source_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/contains.h"
#include "base/text.h"
#include "lex/directives.h"
#include "lex/lexer.h"
#include "record/target.h"
#include "task/plan_text.h"

namespace kw::task {
namespace {

/// A logical line with code: a line together with those that continue it after a backslash, in a
/// comment or in a raw literal.
struct Line {
  std::size_t first = 0;
  std::size_t last = 0;
  std::vector<lex::Token> tokens;  ///< Without space.
  std::string word = {};     ///< The word after `#`; empty: the line is no preprocessor directive.
  std::string defines = {};  ///< The macro that the line defines or undefines.
};

/// The lines with tokens of `all`, which are those of lex(). Lines without are left out.
std::vector<Line> lines_of(std::string_view source, const std::vector<lex::Token>& all) {
  std::vector<Line> lines;
  Line line;
  std::size_t number = 0;
  const auto end_line = [&] {
    line.last = number;
    if (!line.tokens.empty()) lines.push_back(std::move(line));
    line = {};
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    const lex::Token& token = all[i];
    if (token.kind == lex::Token::Kind::LineEnd) end_line();
    if (line.tokens.empty()) line.first = number;
    if (!token.is_space()) line.tokens.push_back(token);
    if (lex::begins_directive(all, i)) {
      const lex::Directive directive = lex::read_directive(all, i);
      line.word = directive.name();
      if (line.word == "define" || line.word == "undef") line.defines = directive.word();
    }
    number += static_cast<std::size_t>(
        std::ranges::count(source.substr(token.offset, token.end - token.offset), '\n'));
  }
  end_line();
  return lines;
}

bool has_name(const Line& line, const auto& is_wanted) {
  return std::ranges::any_of(line.tokens, [&](const lex::Token& token) {
    return token.kind == lex::Token::Kind::Word && is_wanted(std::string(token.text));
  });
}

/// The number of lines at the beginning that are included once for all copies: up to the last
/// #include and the end of the #if around it.
std::size_t lines_read_once(const std::vector<Line>& lines) {
  std::size_t end = 0;
  int depth = 0;
  bool holds_include = false;
  for (const Line& line : lines) {
    depth += line.word.starts_with("if") ? 1 : line.word == "endif" ? -1 : 0;
    holds_include = holds_include || line.word == "include";
    if (!holds_include || depth > 0) continue;
    end = line.last + 1;
    holds_include = false;
  }
  return end;
}

class Cut {
 public:
  Cut(std::string_view source, const CandidateHeader& header)
      : source_(source),
        header_(header),
        tokens_(lex::lex(source)),
        lines_(lines_of(source, tokens_)),
        end_(lines_read_once(lines_)) {
    for (const Knob& knob : header.knobs) varying_.insert(knob.name);
    for (const DerivedMacro& macro : header.derived) varying_.insert(macro.name);
    of_header_ = varying_;
  }

  Result<SourceParts> run() {
    KW_TRY(spread());
    for (const Line& line : lines_) KW_TRY(line.last < end_ ? check_first(line) : take(line));
    share_out();
    return std::move(parts_);
  }

 private:
  bool is_varying(const std::string& name) const {
    return varying_.contains(name) || name.starts_with("KW_CONST_");
  }

  /// Marks a macro before the last #include as varying if its value uses a macro that varies
  /// between copies.
  Result<> spread() {
    constexpr int kMostRounds = 16;
    for (int round = 0; round < kMostRounds; ++round) {
      bool has_grown = false;
      for (const Line& line : lines_) {
        if (line.last >= end_ || line.word != "define" || varying_.contains(line.defines)) continue;
        if (!has_name(line, [&](const auto& name) { return is_varying(name); })) continue;
        has_grown = varying_.insert(line.defines).second;
      }
      if (!has_grown) return {};
    }
    return fail_input(ErrorCode::Unsupported, About{"depth of macros"},
                      "macros before the last #include depend on one another too deeply");
  }

  Result<> check_first(const Line& line) {
    if (!line.defines.empty()) first_.insert(line.defines);
    if (!line.tokens[0].in_directive)
      return fail_input(
          ErrorCode::Unsupported, About{fmt::format("line {}: code", line.first + 1)},
          fmt::format("line {}: code stands before an #include; each shape's build is in a "
                      "namespace, so all #includes must come first",
                      line.first + 1));
    if (!line.word.starts_with("if") && !line.word.starts_with("elif")) return {};
    for (const lex::Token& token : line.tokens) {
      if (token.kind != lex::Token::Kind::Word) continue;
      const std::string name(token.text);
      // An `#ifndef` of a knob gives a default for compiling the source alone, which is harmless
      // because each copy defines the knob.
      const bool is_default = line.word == "ifndef" && of_header_.contains(name);
      if (is_varying(name) && !is_default)
        return fail_input(
            ErrorCode::Unsupported, About{fmt::format("line {}: {} differs", line.first + 1, name)},
            fmt::format("line {}: what stands before the last #include is read once for "
                        "all shapes, and {} differs between them",
                        line.first + 1, name));
    }
    return {};
  }

  Result<> take(const Line& line) {
    if (line.defines.empty()) return {};
    if (first_.contains(line.defines) && !of_header_.contains(line.defines))
      return fail_input(
          ErrorCode::Unsupported,
          About{fmt::format("line {}: {} changes", line.first + 1, line.defines)},
          fmt::format("line {}: {} is defined before the last #include, which is read once "
                      "for all shapes, and changed here",
                      line.first + 1, line.defines));
    parts_.macros.insert(line.defines);
    return {};
  }

  void share_out() {
    const auto lines = split_lines(source_);
    const std::string_view comment = row_of(header_.target).comment;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto directive = directive_of(lines[i], comment);
      if (!directive) {
        (i < end_ ? parts_.includes : parts_.code) += std::string(lines[i]) + "\n";
        continue;
      }
      // A `tune` directive must stand on one line, because pinning the knobs rewrites that line.
      const bool is_one_line = leading_word(*directive) == "tune";
      const DirectiveText whole = join_directive(source_, lines, i, *directive, comment);
      std::string step = for_plan(is_one_line ? *directive : whole.text);
      if (row_of(header_.target).launches_by_plan && !step.empty())
        parts_.plan.push_back(std::move(step));
      if (!is_one_line) i += whole.lines - 1;
    }
  }

  static std::string on_one_line(std::string_view text) {
    std::string out;
    for (const char c : text)
      if (c != ' ' && c != '\t')
        out += c;
      else if (!out.empty() && out.back() != ' ')
        out += ' ';
    return out;
  }

  /// The part of a directive that is repeated in each copy's branch of the launch plan; empty if
  /// there is none.
  std::string for_plan(std::string_view directive) const {
    static constexpr std::string_view kOfTheFile[] = {"tune", "option", "technique", "dialect",
                                                      "library"};
    const auto word = leading_word(directive);
    if (contains(kOfTheFile, word)) return {};
    if (word != "let") return on_one_line(directive);
    std::vector<std::string> kept;
    for (const PlanPiece& part : split_piece({trim(directive.substr(word.size())), 0}, ','))
      if (!of_header_.contains(std::string(leading_word(part.text))))
        kept.push_back(on_one_line(part.text));
    return kept.empty() ? std::string() : "let " + join(kept, ", ");
  }

  std::string_view source_;
  const CandidateHeader& header_;
  lex::Tokens tokens_;
  std::vector<Line> lines_;
  std::size_t end_;
  std::set<std::string> of_header_;  ///< Knobs, and macros derived from them.
  std::set<std::string> varying_;
  std::set<std::string> first_;  ///< Macros that the lines up to the last #include define.
  SourceParts parts_;
};

}  // namespace

std::set<std::string> identifiers_of(std::string_view text) {
  std::set<std::string> found;
  const lex::Tokens tokens = lex::significant(text);
  for (const lex::Token& token : tokens)
    if (token.kind == lex::Token::Kind::Word) found.emplace(token.text);
  return found;
}

Result<SourceParts> cut_source(std::string_view source, const CandidateHeader& header) {
  return Cut(source, header).run();
}

}  // namespace kw::task
