// Walks through the lines of the preprocessor in their order, with the macros defined so far.
// SPDX-License-Identifier: Apache-2.0
#include "task/plain/conditions.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "base/contains.h"
#include "base/expr.h"
#include "base/text.h"
#include "lex/directives.h"
#include "lex/lexer.h"
#include "task/draft_headers.h"

namespace kw::task {
namespace {

constexpr std::size_t kDeepestGroup = 64;           // of groups within groups that are decided
constexpr std::size_t kLongestCondition = 4 << 10;  // with its macros written out
constexpr int kDeepestMacro = 16;                   // of macros that stand for macros

/// One group of lines from an `#if` to its `#endif`.
struct OpenGroup {
  bool is_decided = true;   ///< Whether the lines of its conditions become blank.
  bool is_skipped = false;  ///< Whether all of it lies in skipped lines.
  bool is_taken = false;    ///< Whether a branch was taken already.
  std::string note;         ///< What to tell where lines are left out; empty: nothing.
};

class ConditionReader {
 public:
  explicit ConditionReader(std::string_view source) : source_(source), all_(lex::lex(source)) {}

  DecidedSource run() {
    decided_.source = source_;
    for (const lex::Directive& directive : lex::directives_of(all_)) {
      const std::size_t begin = all_[directive.first].offset;
      if (is_skipping_) blank(skipped_from_, begin, true);
      read(directive, begin, all_[directive.last - 1].end);
      skipped_from_ = all_[directive.last - 1].end;
    }
    // Lines without their #endif are left as they are, and a compiler complains about them.
    return std::move(decided_);
  }

 private:
  void read(const lex::Directive& directive, std::size_t begin, std::size_t end) {
    const std::string_view name = directive.name();
    const bool ends_branch = name.starts_with("elif") || name == "else" || name == "endif";
    if (directive.opens_group()) {
      open(directive);
    } else if (ends_branch && !groups_.empty()) {
      name == "endif" ? close() : turn(directive);
    } else {
      if (is_skipping_) return blank(begin, end, true);
      note_macro(directive);
      return;
    }
    const bool is_blank = name == "endif" ? closed_.is_decided || closed_.is_skipped
                                          : groups_.back().is_decided || groups_.back().is_skipped;
    if (is_blank) blank(begin, end, false);
  }

  void open(const lex::Directive& directive) {
    OpenGroup group;
    group.is_skipped = is_skipping_;
    if (!group.is_skipped && groups_.size() >= kDeepestGroup) {
      group.is_decided = false;
      ++undecided_;
    } else if (!group.is_skipped) {
      const auto value = value_of(directive, group.note);
      group.is_decided = value.has_value() && has_no_open_question(directive);
      group.is_taken = value.value_or(false);
      if (group.is_decided) is_skipping_ = !*value;
      if (!group.is_decided) ++undecided_;
    }
    groups_.push_back(std::move(group));
  }

  /// Reads an `#elif` or `#else`.
  void turn(const lex::Directive& directive) {
    OpenGroup& group = groups_.back();
    if (group.is_skipped || !group.is_decided) return;
    if (group.is_taken) {
      is_skipping_ = true;
      return;
    }
    const auto value =
        directive.name() == "else" ? std::optional(true) : value_of(directive, group.note);
    // has_no_open_question() has looked at all conditions of the group.
    group.is_taken = value.value_or(false);
    is_skipping_ = !group.is_taken;
  }

  void close() {
    closed_ = std::move(groups_.back());
    groups_.pop_back();
    if (!closed_.is_skipped) is_skipping_ = false;
    if (!closed_.is_skipped && !closed_.is_decided) --undecided_;
  }

  /// Whether each `#elif` of the group that the directive opens can be decided as well.
  bool has_no_open_question(const lex::Directive& opening) {
    int depth = 0;
    for (std::size_t i = opening.last; i < all_.size(); ++i) {
      if (!lex::begins_directive(all_, i)) continue;
      const lex::Directive directive = lex::read_directive(all_, i);
      i = directive.last;
      std::string unused;
      if (directive.opens_group()) ++depth;
      if (directive.name() == "endif" && depth-- == 0) return true;
      if (depth == 0 && directive.name().starts_with("elif") && !value_of(directive, unused))
        return false;
    }
    return false;  // the group does not end
  }

  void note_macro(const lex::Directive& directive) {
    const bool is_define = directive.name() == "define";
    if ((!is_define && directive.name() != "undef") || directive.word().empty()) return;
    const std::string name(directive.word());
    if (undecided_ > 0) {
      unknown_.insert(name);
      return;
    }
    unknown_.erase(name);
    const auto& tokens = directive.tokens;
    const bool takes_arguments =
        tokens.size() > 2 && tokens[2].is("(") && tokens[2].offset == tokens[1].end;
    if (!is_define)
      macros_.erase(name);
    else
      macros_[name] = takes_arguments ? std::nullopt : std::optional(directive.text(2));
  }

  /// Whether the macro is defined; nothing where the text does not tell.
  std::optional<bool> is_defined(std::string_view name) const {
    if (unknown_.contains(name)) return std::nullopt;
    if (macros_.contains(name)) return true;
    if (name.empty() || name.starts_with('_') || is_real_constant(name)) return std::nullopt;
    static constexpr auto kOthers =
        std::to_array<std::string_view>({"NDEBUG", "NULL", "EOF", "RAND_MAX", "CHAR_BIT"});
    if (contains(kOthers, name) || name.ends_with("_MAX") || name.ends_with("_MIN"))
      return std::nullopt;
    return false;
  }

  std::optional<bool> value_of(const lex::Directive& directive, std::string& note) const {
    std::set<std::string, std::less<>> missing;
    std::optional<bool> value;
    const std::string_view name = directive.name();
    if (name == "if" || name == "elif") {
      const auto text = expression(directive.tokens, 1, 0, missing);
      const auto number = text ? evaluate_text(*text, {}) : Result<std::int64_t>(std::int64_t{0});
      if (text && number) value = *number != 0;
    } else {
      const auto known = is_defined(directive.word());
      const bool is_negated = name == "ifndef" || name == "elifndef";
      if (known) value = *known != is_negated;
      if (known && !*known) missing.emplace(directive.word());
    }
    if (value && !missing.empty() && note.empty())
      note = fmt::format(
          "{0}: the file does not define it, so what `#{1} {2}` keeps for compilers that are told "
          "to "
          "define it is left out; to draft from that, write `#define {0} 1` at the top of the file",
          sanitise(*missing.begin(), 60), name, sanitise(directive.text(), 80));
    return value;
  }

  /// The condition as an expression of numbers alone; nothing where it cannot be one.
  std::optional<std::string> expression(const std::vector<lex::Token>& tokens, std::size_t from,
                                        int depth,
                                        std::set<std::string, std::less<>>& missing) const {
    std::string text;
    for (std::size_t i = from; i < tokens.size(); ++i) {
      const lex::Token& token = tokens[i];
      if (text.size() > kLongestCondition) return std::nullopt;
      if (token.is("defined")) {
        const bool has_bracket = i + 1 < tokens.size() && tokens[i + 1].is("(");
        const std::size_t word = i + (has_bracket ? 2 : 1);
        if (word >= tokens.size()) return std::nullopt;
        const auto known = is_defined(tokens[word].text);
        if (!known) return std::nullopt;
        if (!*known) missing.emplace(tokens[word].text);
        text += *known ? " 1 " : " 0 ";
        i = word + (has_bracket ? 1 : 0);
      } else if (token.kind == lex::Token::Kind::Word) {
        const auto known = is_defined(token.text);
        if (!known || depth > kDeepestMacro) return std::nullopt;
        if (!*known) {
          missing.emplace(token.text);
          text += " 0 ";
          continue;
        }
        const auto& body = macros_.find(token.text)->second;
        if (!body) return std::nullopt;
        const lex::Tokens words = lex::tokenize(*body);
        const auto value = expression(words, 0, depth + 1, missing);
        if (!value || !is_switch(*value)) return std::nullopt;
        text += "(" + *value + ")";
      } else if (token.kind == lex::Token::Kind::Number) {
        std::string_view digits = token.text;
        while (digits.ends_with('L') || digits.ends_with('l') || digits.ends_with('U') ||
               digits.ends_with('u'))
          digits.remove_suffix(1);
        if (digits.size() > 1 && digits.starts_with('0')) return std::nullopt;
        text += " " + std::string(digits) + " ";
      } else {
        text += token.text;
      }
    }
    return text;
  }

  /// Whether a macro is on or off. Other numbers may be sizes, which tasks vary.
  static bool is_switch(const std::string& text) {
    const auto value = evaluate_text(text, {});
    return value && (*value == 0 || *value == 1);
  }

  void blank(std::size_t begin, std::size_t end, bool is_code) {
    bool has_text = false;
    for (std::size_t i = begin; i < end; ++i) {
      char& c = decided_.source[i];
      has_text = has_text || (c != ' ' && c != '\n' && c != '\r' && c != '\t');
      if (c != '\n' && c != '\r') c = ' ';
    }
    if (!is_code || !has_text) return;
    for (auto group = groups_.rbegin(); group != groups_.rend(); ++group) {
      if (group->is_skipped) continue;
      if (!group->note.empty() && !contains(decided_.notes, group->note))
        decided_.notes.push_back(group->note);
      return;
    }
  }

  const std::string_view source_;
  const lex::Tokens all_;
  DecidedSource decided_;
  std::vector<OpenGroup> groups_;
  OpenGroup closed_;  ///< The group that ended last.
  bool is_skipping_ = false;
  int undecided_ = 0;  ///< Open groups of which any branch may be the one that is read.
  std::size_t skipped_from_ = 0;
  /// Macros by their text; nothing for those with arguments.
  std::map<std::string, std::optional<std::string>, std::less<>> macros_;
  std::set<std::string, std::less<>> unknown_;  ///< Names that may be defined or not.
};

}  // namespace

DecidedSource with_decided_conditions(std::string_view source) {
  return ConditionReader(source).run();
}

}  // namespace kw::task
