// Screens what a source does to the macros of its knobs (tuning parameters), and how knobs are
// named.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "base/byte_order_mark.h"
#include "base/characters.h"
#include "base/contains.h"
#include "base/text.h"
#include "compile/library_names.h"
#include "referee/active_code.h"
#include "referee/screen.h"
#include "task/header.h"

namespace kw::referee {
namespace {

/// Names that headers of C++ use for members and functions: as a macro they break those headers.
constexpr auto kNamesOfHeaders = std::to_array<std::string_view>(
    {"std",   "abs",    "size",      "data",     "begin",    "end",     "swap",    "move",
     "first", "second", "value",     "type",     "float2",   "float4",  "int2",    "int4",
     "half2", "dim3",   "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"});

class MacroScreen {
 public:
  MacroScreen(const Candidate& candidate, std::string_view name, const Task& task)
      : candidate_(candidate), name_(name), task_(task) {}

  Screening run() {
    const auto header = task::parse_header(candidate_);
    if (!header || !header->is_valid(candidate_.knobs)) return {};
    // A source that is pinned to one setting may also define its knobs in C++, to the values of
    // this setting.
    const bool is_pinned = header->points(2).size() == 1;
    for (const std::string& define : header->defines(candidate_.knobs)) {
      const std::size_t equals = define.find('=');
      values_[define.substr(0, equals)] =
          is_pinned ? std::optional(define.substr(equals + 1)) : std::nullopt;
    }
    if (values_.empty()) return {};
    for (const auto& [macro, value] : values_)
      if (const EvidenceKind why = why_name_is_taken(macro); why != EvidenceKind::None)
        return refuse_at(candidate_.source, offset_of_declaration(macro),
                         {.kind = why, .subject = macro});
    return screen_directives();
  }

 private:
  Screening refuse_at(std::string_view text, std::size_t offset, Evidence seen) const {
    const Position at = position_of(text, offset);
    seen.place = fmt::format("{}:{}:{}", name_, at.line, at.column);
    seen.numbers = {static_cast<double>(at.line)};
    return refuse(std::move(seen), render_frame(text, offset, "here"));
  }

  EvidenceKind why_name_is_taken(const std::string& macro) const {
    const auto is_parameter = [&](const Parameter& p) { return p.name == macro; };
    if (std::ranges::any_of(task_.signature, is_parameter)) return EvidenceKind::KnobNamesArgument;
    if (macro == task_.function) return EvidenceKind::KnobNamesFunction;
    if (contains(kNamesOfHeaders, macro) || compile::is_library_name(macro, candidate_.target))
      return EvidenceKind::KnobNamesHeader;
    return EvidenceKind::None;
  }

  /// Of the `// kw:` line that has the name.
  std::size_t offset_of_declaration(std::string_view macro) const {
    const std::string_view source = candidate_.source;
    for (const std::string_view line : split_lines(source)) {
      std::string_view rest = trim(line);
      if (!rest.starts_with("//") || rest.find("kw:") == std::string_view::npos) continue;
      for (std::size_t at = line.find(macro); at < line.size(); at = line.find(macro, at + 1)) {
        const std::size_t end = at + macro.size();
        if ((at == 0 || !is_name_char(line[at - 1])) &&
            (end == line.size() || !is_name_char(line[end])))
          return static_cast<std::size_t>(line.data() - source.data()) + at;
      }
    }
    return 0;
  }

  Screening screen_directives() {
    const std::string_view text = without_byte_order_mark(candidate_.source);
    const lex::Tokens all = lex::lex(text);
    const ActiveCode code = active_code(text, all, Names::AsTheTextSays);
    for (const lex::Directive& directive : code.directives) {
      const std::string_view word = directive.name();
      follow_conditions(directive);
      if (word != "define" && word != "undef") continue;
      const std::string macro(directive.word());
      const auto known = values_.find(macro);
      if (known == values_.end() || is_guarded(macro)) continue;
      if (word == "define" && known->second && directive.text(2) == *known->second) continue;
      return refuse_at(
          text, all[directive.first].offset,
          {.kind = EvidenceKind::KnobRedefined, .subject = macro, .names = {std::string(word)}});
    }
    return {};
  }

  /// Keeps, for each open conditional, the macro that is not defined where its text is compiled.
  void follow_conditions(const lex::Directive& directive) {
    const std::string_view word = directive.name();
    if (word == "if") {
      conditions_.push_back(condition_of_if(directive));
    } else if (word == "ifdef" || word == "ifndef") {
      conditions_.push_back({std::string(directive.word()), word == "ifndef"});
    } else if (word.starts_with("elif") && !conditions_.empty()) {
      conditions_.back() = {};
    } else if (word == "else" && !conditions_.empty()) {
      conditions_.back().is_negated = !conditions_.back().is_negated;
    } else if (word == "endif" && !conditions_.empty()) {
      conditions_.pop_back();
    }
  }

  struct Condition {
    std::string macro{};      ///< Empty: the condition is about something else.
    bool is_negated = false;  ///< The text is compiled where the macro is not defined.
  };

  /// Reads conditions like "!defined(TILE)" and "defined TILE"; conditions of other forms name no
  /// macro.
  static Condition condition_of_if(const lex::Directive& directive) {
    Condition condition;
    const auto& tokens = directive.tokens;
    std::size_t at = 1;
    const auto take = [&](std::string_view text) {
      const bool is_there = at < tokens.size() && tokens[at].is(text);
      at += is_there ? 1 : 0;
      return is_there;
    };
    condition.is_negated = take("!");
    if (!take("defined")) return {};
    const bool has_bracket = take("(");
    if (at < tokens.size()) condition.macro = tokens[at++].text;
    if (has_bracket) take(")");
    return at == tokens.size() ? condition : Condition();
  }

  bool is_guarded(std::string_view macro) const {
    return std::ranges::any_of(
        conditions_, [&](const Condition& c) { return c.macro == macro && c.is_negated; });
  }

  const Candidate& candidate_;
  std::string_view name_;
  const Task& task_;
  /// Macros of knobs and macros derived from knobs, with the value that a #define may give each;
  /// nothing where no #define may.
  std::map<std::string, std::optional<std::string>> values_;
  std::vector<Condition> conditions_;
};

}  // namespace

Screening screen_macros(const Candidate& candidate, std::string_view name, const Task& task) {
  return MacroScreen(candidate, name, task).run();
}

}  // namespace kw::referee
