// Finds where a source's includes end, despite comments and conditional compilation.
// SPDX-License-Identifier: Apache-2.0
#include "task/source_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/characters.h"
#include "base/contains.h"
#include "base/text.h"
#include "task/plan_text.h"

namespace kw::task {
namespace {

/// Replaces comments and the contents of string and character literals by blanks; line ends stay.
class Blanker {
 public:
  explicit Blanker(std::string_view text) : text_(text), out_(text) {}

  std::string run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const bool is_after_word = at_ > 0 && is_name_char(text_[at_ - 1]);
      if (text_.substr(at_, 2) == "//")
        blank_to(end_of_line());
      else if (text_.substr(at_, 2) == "/*")
        blank_to(after("*/", at_ + 2));
      else if (c == '"' && is_after_word && text_[at_ - 1] == 'R')
        blank_to(end_of_raw_string());
      else if (c == '"' || (c == '\'' && !is_after_word))
        blank_to(end_of_quote(c));
      else
        ++at_;
    }
    return std::move(out_);
  }

 private:
  void blank_to(std::size_t end) {
    for (; at_ < end; ++at_)
      if (text_[at_] != '\n' && text_[at_] != '\\') out_[at_] = ' ';
  }
  std::size_t after(std::string_view what, std::size_t from) const {
    const auto found = text_.find(what, from);
    return found == std::string_view::npos ? text_.size() : found + what.size();
  }
  /// The end of a `//` comment, which includes the next line if the line ends in a backslash.
  std::size_t end_of_line() const {
    auto end = text_.find('\n', at_);
    while (end != std::string_view::npos && end > 0 && text_[end - 1] == '\\')
      end = text_.find('\n', end + 1);
    return std::min(end, text_.size());
  }
  std::size_t end_of_quote(char quote) const {
    for (auto i = at_ + 1; i < text_.size() && text_[i] != '\n'; ++i) {
      if (text_[i] == '\\')
        ++i;
      else if (text_[i] == quote)
        return i + 1;
    }
    return std::min(text_.find('\n', at_), text_.size());
  }
  std::size_t end_of_raw_string() const {
    const auto open = text_.find('(', at_);
    if (open == std::string_view::npos) return text_.size();
    return after(")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"", open);
  }

  std::string_view text_;
  std::string out_;
  std::size_t at_ = 0;
};

/// A logical line: a line together with those that continue it after a backslash.
struct Line {
  std::size_t first = 0;
  std::size_t last = 0;
  std::string text;
  std::string word = {};     ///< The word after `#`; empty: the line is no preprocessor directive.
  std::string defines = {};  ///< The macro that the line defines or undefines.
};

std::vector<Line> lines_of(std::string_view source) {
  const std::string blanked = Blanker(source).run();
  const auto plain = split_lines(blanked);
  std::vector<Line> lines;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    Line line{i, i, {}};
    for (; trim(plain[i]).ends_with('\\') && i + 1 < plain.size(); line.last = ++i) {
      const auto part = trim(plain[i]);
      line.text += std::string(part.substr(0, part.size() - 1)) + " ";
    }
    line.text += plain[i];
    if (const auto text = trim(line.text); text.starts_with('#')) {
      const auto rest = trim(text.substr(1));
      line.word = leading_word(rest);
      if (line.word == "define" || line.word == "undef")
        line.defines = leading_word(trim(rest.substr(line.word.size())));
    }
    lines.push_back(std::move(line));
  }
  return lines;
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
      : source_(source), header_(header), lines_(lines_of(source)), end_(lines_read_once(lines_)) {
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
        const auto used = identifiers_of(line.text);
        if (std::ranges::none_of(used, [&](const auto& n) { return is_varying(n); })) continue;
        has_grown = varying_.insert(line.defines).second;
      }
      if (!has_grown) return {};
    }
    return fail_input("macros before the last #include depend on one another too deeply");
  }

  Result<> check_first(const Line& line) {
    if (!line.defines.empty()) first_.insert(line.defines);
    if (line.word.empty() && !trim(line.text).empty())
      return fail_input(
          fmt::format("line {}: code stands before an #include; each shape's build is in a "
                      "namespace, so all #includes must come first",
                      line.first + 1));
    if (!line.word.starts_with("if") && !line.word.starts_with("elif")) return {};
    for (const std::string& name : identifiers_of(line.text)) {
      // An `#ifndef` of a knob gives a default for compiling the source alone, which is harmless
      // because each copy defines the knob.
      const bool is_default = line.word == "ifndef" && of_header_.contains(name);
      if (is_varying(name) && !is_default)
        return fail_input(
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
          fmt::format("line {}: {} is defined before the last #include, which is read once "
                      "for all shapes, and changed here",
                      line.first + 1, line.defines));
    parts_.macros.insert(line.defines);
    return {};
  }

  void share_out() {
    const auto lines = split_lines(source_);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto directive = directive_of(lines[i]);
      if (!directive) {
        (i < end_ ? parts_.includes : parts_.code) += std::string(lines[i]) + "\n";
        continue;
      }
      // A `tune` directive must stand on one line, because pinning the knobs rewrites that line.
      const bool is_one_line = leading_word(*directive) == "tune";
      const DirectiveText whole = join_directive(source_, lines, i, *directive);
      std::string step = for_plan(is_one_line ? *directive : whole.text);
      if (header_.target == Target::Cuda && !step.empty()) parts_.plan.push_back(std::move(step));
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
  for (std::size_t at = 0; at < text.size();) {
    const auto word = leading_word(text.substr(at));
    if (!word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) == 0)
      found.emplace(word);
    at += std::max<std::size_t>(word.size(), 1);
  }
  return found;
}

Result<SourceParts> cut_source(std::string_view source, const CandidateHeader& header) {
  return Cut(source, header).run();
}

}  // namespace kw::task
