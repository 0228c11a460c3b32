// Follows the conditional groups of the preprocessor, as far as a text alone decides them.
// SPDX-License-Identifier: Apache-2.0
#include "referee/active_code.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/characters.h"
#include "base/text.h"

namespace kw::referee {
namespace {

using lex::Directive;
using lex::Token;

bool is_plain_name(std::string_view word) { return std::ranges::all_of(word, is_name_char); }

class GroupWalk {
 public:
  GroupWalk(std::string_view text, const std::vector<Token>& all, Names names)
      : all_(all), names_(names) {
    for (const Directive& directive : lex::directives_of(all))
      if (directive.name() == "define") defined_.insert(directive.word());
    for (const std::string_view line : split_lines(text))
      if (trim(line).starts_with("// kw:")) own_lines_.push_back(line);
  }

  ActiveCode run() {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (lex::begins_directive(all_, i)) {
        i = take(lex::read_directive(all_, i));
      } else if (!all_[i].is_space() && !is_skipped(groups_.size())) {
        code_.tokens.push_back(all_[i]);
      }
    }
    return std::move(code_);
  }

 private:
  enum class Branch { Taken, Skipped, Unknown };
  /// An #if with what is known of its branches so far.
  struct Group {
    Branch now = Branch::Unknown;
    bool was_taken = false;    ///< A branch is certainly taken, so that later ones are not.
    bool was_unknown = false;  ///< A branch may be taken.
  };

  /// Whether one of the outermost `depth` groups skips its current branch.
  bool is_skipped(std::size_t depth) const {
    return std::any_of(groups_.begin(), groups_.begin() + static_cast<std::ptrdiff_t>(depth),
                       [](const Group& group) { return group.now == Branch::Skipped; });
  }

  /// Returns the index of the directive's last token.
  std::size_t take(Directive directive) {
    const std::string_view name = directive.name();
    const bool goes_on = !groups_.empty() && (name == "elif" || name == "else" ||
                                              name == "elifdef" || name == "elifndef");
    const bool ends = !groups_.empty() && name == "endif";
    if (directive.opens_group()) {
      enter(is_skipped(groups_.size()) ? Branch::Unknown : branch_of(directive), Group());
    } else if (goes_on) {
      const Group group = groups_.back();
      groups_.pop_back();
      enter(next_branch(group, name), group);
    } else if (ends) {
      groups_.pop_back();
    }
    // A group's own lines belong to the text around the group.
    const std::size_t depth = groups_.size() - (directive.opens_group() || goes_on ? 1 : 0);
    const std::size_t last = directive.last - 1;
    if (is_skipped(depth)) return last;
    for (std::size_t i = directive.first; i <= last; ++i)
      if (!all_[i].is_space()) code_.tokens.push_back(all_[i]);
    code_.directives.push_back(std::move(directive));
    return last;
  }

  void enter(Branch branch, const Group& before) {
    groups_.push_back({branch, before.was_taken || branch == Branch::Taken,
                       before.was_unknown || branch == Branch::Unknown});
  }

  static Branch next_branch(const Group& group, std::string_view name) {
    // Not all compilers know #elifdef and #elifndef, so that nothing is certain behind one.
    if (name.starts_with("elif") && name != "elif") return Branch::Unknown;
    if (group.was_taken && !group.was_unknown) return Branch::Skipped;
    return name == "else" && !group.was_unknown ? Branch::Taken : Branch::Unknown;
  }

  Branch branch_of(const Directive& directive) const {
    const auto& tokens = directive.tokens;
    if (directive.name() == "ifdef" && tokens.size() == 2) return branch_of_name(tokens[1].text);
    if (directive.name() != "if") return Branch::Unknown;
    if (tokens.size() == 2) {
      const std::string_view word = tokens[1].text;
      const bool is_word = word == "true" || word == "false";
      if (is_word && may_be_defined(word)) return Branch::Unknown;
      if (word == "0" || word == "false") return Branch::Skipped;
      if (word == "1" || word == "true") return Branch::Taken;
    }
    if (directive.word() != "defined") return Branch::Unknown;
    if (tokens.size() == 3) return branch_of_name(tokens[2].text);
    const bool has_brackets = tokens.size() == 5 && tokens[2].is("(") && tokens[4].is(")");
    return has_brackets ? branch_of_name(tokens[3].text) : Branch::Unknown;
  }

  Branch branch_of_name(std::string_view macro) const {
    const bool is_decided = names_ == Names::AsTheTextSays && is_plain_name(macro);
    return is_decided && !may_be_defined(macro) ? Branch::Skipped : Branch::Unknown;
  }

  bool may_be_defined(std::string_view macro) const {
    if (macro.empty() || macro.front() == '_' || macro.starts_with("KW_")) return true;
    if (defined_.contains(macro)) return true;
    return std::ranges::any_of(own_lines_,
                               [&](std::string_view line) { return line.contains(macro); });
  }

  const std::vector<Token>& all_;
  Names names_;
  std::set<std::string_view> defined_;       ///< By a #define anywhere in the text.
  std::vector<std::string_view> own_lines_;  ///< The `// kw:` lines, which define knobs.
  std::vector<Group> groups_;
  ActiveCode code_;
};

/// Whether a string literal begins right behind token `i`, with nothing but a line splice between.
bool touches_string(const std::vector<Token>& all, std::size_t i) {
  ++i;
  if (i < all.size() && all[i].kind == Token::Kind::Blank && all[i].text.starts_with('\\')) ++i;
  return i < all.size() && all[i].kind == Token::Kind::Text && all[i].text.starts_with('"');
}

bool is_odd_header(std::string_view name) {
  name = name.substr(1, name.size() - 2);
  return name.find_first_of("\"'\\") != std::string_view::npos || name.contains("/*");
}

bool is_endless_raw(const Token& token) {
  const std::size_t quote = token.text.find('"');
  return token.kind == Token::Kind::Text && !token.is_whole && quote != std::string_view::npos &&
         lex::is_raw_prefix(token.text.substr(0, quote));
}

}  // namespace

ActiveCode active_code(std::string_view text, const std::vector<Token>& all, Names names) {
  return GroupWalk(text, all, names).run();
}

Unclear find_unclear(const std::vector<Token>& all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Token& token = all[i];
    const bool is_word = token.kind == Token::Kind::Word && token.text.ends_with('R');
    if (is_word && touches_string(all, i) &&
        (lex::is_raw_prefix(token.text) || !is_plain_name(token.text)))
      return {token.offset, EvidenceKind::UnclearRawLiteral};
    if (is_endless_raw(token)) return {token.offset, EvidenceKind::EndlessRawLiteral};
    if (token.kind == Token::Kind::Header && is_odd_header(token.text))
      return {token.offset, EvidenceKind::UnclearHeader};
    const bool is_delimited_name = token.is("\\") && i + 2 < all.size() &&
                                   all[i + 1].kind == Token::Kind::Word && all[i + 2].is("{");
    if (is_delimited_name) return {token.offset, EvidenceKind::UnclearName};
  }
  return {};
}

}  // namespace kw::referee
