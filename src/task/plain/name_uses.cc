// Follows the scopes of declarations by brackets and the words before a name.
// SPDX-License-Identifier: Apache-2.0
#include "task/plain/name_uses.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "base/contains.h"
#include "base/text.h"
#include "lex/directives.h"
#include "task/c/branches.h"

namespace kw::task {
namespace {

/// Words behind which a name is a use, not a declaration.
constexpr auto kBeforeUses = std::to_array<std::string_view>(
    {"return", "else", "do", "case", "sizeof", "goto", "and", "or", "not", "xor", "bitand", "bitor",
     "throw", "delete", "co_return", "co_yield", "co_await", "alignof"});

enum class Place { Use, Declaration, Unclear };

/// Reads the words before names inside one range of code.
class ScopeReader {
 public:
  ScopeReader(const SiteReader& reader, TokenRange code)
      : reader_(reader), tokens_(reader.tokens()), code_(code) {
    for (const lex::Directive& directive : reader.directives())
      if (directive.name() == "define") macros_.emplace(directive.word());
  }

  NameUses run(std::string_view name) const {
    NameUses uses;
    std::vector<TokenRange> hidden;
    for (std::size_t i = code_.begin; i < code_.end; ++i) {
      if (!reader_.is_word(i) || tokens_[i].text != name) continue;
      if (is_before(i, ".") || is_before(i, "->")) continue;
      if (is_before(i, "::") && i > 1 && at(i - 2, "std")) continue;
      const bool is_hidden = std::ranges::any_of(
          hidden, [&](TokenRange scope) { return scope.begin <= i && i < scope.end; });
      const Place place = is_before(i, "::") ? Place::Unclear : place_of(i);
      if (place == Place::Declaration) {
        uses.declarations.push_back(i);
        if (const auto scope = scope_of(i)) {
          hidden.push_back(*scope);
          continue;
        }
      }
      if (is_hidden) continue;
      if (place == Place::Use)
        uses.tokens.push_back(i);
      else if (!uses.unclear)
        uses.unclear = i;
    }
    return uses;
  }

  /// Whether the token stands where the compiler must know the value.
  bool is_constant(std::size_t i) const {
    if ((is_before(i, "<") || is_before(i, ",")) && (at(i + 1, ">") || at(i + 1, ">>")))
      return true;
    for (std::size_t k = i; k-- > code_.begin;) {
      if (at(k, ";") || at(k, "{") || at(k, "}")) break;
      if (at(k, "case") || at(k, "constexpr") || at(k, "static_assert") || at(k, "alignas"))
        return true;
    }
    std::size_t depth = 0;
    for (std::size_t k = i; k-- > code_.begin;) {
      if (at(k, ")") || at(k, "]")) ++depth;
      if (at(k, ";") || at(k, "}") || (at(k, "{") && opens_block(k))) break;
      if ((!at(k, "(") && !at(k, "[")) || depth-- > 0) continue;
      depth = 0;
      if (at(k, "[") && is_bound_of_array(k)) return true;
    }
    return false;
  }

 private:
  bool at(std::size_t i, std::string_view text) const { return reader_.at(i, text); }
  bool is_before(std::size_t i, std::string_view text) const { return i > 0 && at(i - 1, text); }

  /// Whether the bracket holds a size of an array that is declared here.
  bool is_bound_of_array(std::size_t open) const {
    std::size_t name = open;
    while (name > code_.begin && is_before(name, "]")) {
      name = opener(name - 1);
      if (!at(name, "[")) return false;
    }
    return name > code_.begin && reader_.is_word(name - 1) &&
           place_of(name - 1) == Place::Declaration;
  }

  bool is_start(std::size_t i) const { return i <= code_.begin || reader_.begins_statement(i); }

  /// Whether a template's name with its arguments ends before token `end`, and begins a statement.
  bool is_template_type(std::size_t end) const {
    static constexpr auto kOutside = std::to_array<std::string_view>(
        {";", "{", "}", "(", "[", "&&", "||", "=", "==", "!=", "?", "+", "-"});
    std::size_t depth = 0;
    for (std::size_t i = end; i-- > code_.begin;) {
      if (contains(kOutside, tokens_[i].text)) return false;
      if (at(i, ">")) ++depth;
      if (at(i, ">>")) depth += 2;
      if (!at(i, "<") || depth == 0 || --depth > 0) continue;
      while (i > code_.begin && (reader_.is_word(i - 1) || at(i - 1, "::"))) --i;
      return reader_.is_word(i) && (is_start(i) || is_before(i, "("));
    }
    return false;
  }

  Place place_of(std::size_t i) const {
    if (i <= code_.begin) return Place::Use;
    const std::size_t before = i - 1;
    if (reader_.is_word(before)) {
      const std::string_view word = reader_.word(before);
      if (contains(kBeforeUses, word)) return word == "goto" ? Place::Unclear : Place::Use;
      if (reader_.is_type_word(before)) return Place::Declaration;
      static constexpr auto kBehindNames =
          std::to_array<std::string_view>({"=", ";", ",", "[", "{", "(", ")", ":"});
      const bool is_declared =
          i + 1 < tokens_.size() && contains(kBehindNames, tokens_[i + 1].text);
      return is_declared && !macros_.contains(word) ? Place::Declaration : Place::Unclear;
    }
    if (at(before, ">")) return is_template_type(i) ? Place::Declaration : Place::Use;
    if (at(before, "*") || at(before, "&") || at(before, "&&")) return behind_star(before);
    if (at(before, ",") || at(before, "[")) return in_list(i);
    return Place::Use;
  }

  Place behind_star(std::size_t star) const {
    std::size_t i = star;
    while (i > code_.begin && (at(i, "*") || at(i, "&") || at(i, "&&") ||
                               (reader_.is_word(i) && is_specifier(reader_.word(i)))))
      --i;
    if (at(i, "(") && i > code_.begin && reader_.is_type_word(i - 1)) return Place::Unclear;
    if (at(i, ">")) return is_template_type(i + 1) ? Place::Declaration : Place::Use;
    if (!reader_.is_word(i)) return Place::Use;
    if (reader_.is_type_word(i)) return Place::Declaration;
    return is_start(i) ? Place::Declaration : Place::Use;
  }

  /// The bracket that is open at the token, or the code's first token.
  std::size_t opener(std::size_t i) const {
    std::size_t depth = 0;
    while (i > code_.begin) {
      --i;
      if (at(i, ")") || at(i, "]") || at(i, "}")) ++depth;
      if ((at(i, "(") || at(i, "[") || at(i, "{")) && depth-- == 0) return i;
    }
    return code_.begin;
  }

  /// Whether a brace begins a block of statements, not a list of values.
  bool opens_block(std::size_t open) const {
    while (open > code_.begin && is_before(open, "{")) --open;
    if (open <= code_.begin) return true;
    for (const auto* before : {")", "}", ";", ":", "else", "do", "try"})
      if (is_before(open, before)) return true;
    return false;
  }

  Place in_list(std::size_t i) const {
    const std::size_t open = opener(i);
    if (at(open, "[")) {
      std::size_t before = open;
      while (before > code_.begin && (is_before(before, "&") || is_before(before, "&&"))) --before;
      return is_before(before, "auto") ? Place::Unclear : Place::Use;
    }
    if (at(open, "{") && !opens_block(open)) return Place::Use;
    std::size_t start = open + 1;
    if (at(open, "{") || open == code_.begin) {
      std::size_t depth = 0;
      for (std::size_t k = i; k-- > open;) {
        if (at(k, ")") || at(k, "]") || at(k, "}")) ++depth;
        if (depth == 0 && at(k, ";")) {
          start = k + 1;
          break;
        }
        if (at(k, "(") || at(k, "[") || at(k, "{")) {
          if (depth == 0) break;
          // The end of a block ends a statement, too.
          if (--depth == 0 && at(k, "{") && opens_block(k)) {
            start = lex::find_closing(tokens_, k) + 1;
            break;
          }
        }
      }
    } else if (!is_before(open, "for")) {
      return Place::Use;
    } else {
      for (std::size_t k = start; k < i; ++k)
        if (at(k, ";")) return Place::Use;
    }
    const bool is_declared =
        reader_.is_type_word(start) || (reader_.is_word(start) && reader_.is_word(start + 1) &&
                                        !contains(kBeforeUses, reader_.word(start)));
    return is_declared ? Place::Declaration : Place::Use;
  }

  /// Where the name declared at the token is known; nothing where the text does not tell.
  std::optional<TokenRange> scope_of(std::size_t i) const {
    const std::size_t open = opener(i);
    if (at(open, "{") || open == code_.begin) {
      const std::size_t close = at(open, "{") ? lex::find_closing(tokens_, open) : code_.end;
      return TokenRange{i, std::min(close, code_.end)};
    }
    if (!at(open, "(") || open == 0) return std::nullopt;
    static constexpr auto kHeads =
        std::to_array<std::string_view>({"for", "if", "while", "switch"});
    if (contains(kHeads, reader_.word(open - 1)))
      return TokenRange{i, nest_end(tokens_, open - 1, code_.end)};
    // Parameters of a lambda or of a nested declaration.
    const std::size_t close = lex::find_closing(tokens_, open);
    if (is_before(open, "]") && at(close + 1, "{"))
      return TokenRange{i, std::min(lex::find_closing(tokens_, close + 1), code_.end)};
    return std::nullopt;
  }

  const SiteReader& reader_;
  const std::vector<lex::Token>& tokens_;
  const TokenRange code_;
  std::set<std::string, std::less<>> macros_;
};

}  // namespace

NameUses find_name_uses(const SiteReader& reader, TokenRange code, std::string_view name) {
  std::size_t i = code.begin;
  while (i < code.end && reader.word(i) != name) ++i;
  if (i == code.end) return {};
  return ScopeReader(reader, code).run(name);
}

std::optional<std::size_t> find_constant_use(const SiteReader& reader, TokenRange code,
                                             std::span<const std::size_t> uses) {
  const ScopeReader scopes(reader, code);
  for (const std::size_t use : uses)
    if (scopes.is_constant(use)) return use;
  return std::nullopt;
}

std::string hiding_macro(const SiteReader& reader, TokenRange code, std::string_view name) {
  if (!reader.is_in_directives(name)) return {};
  const auto& tokens = reader.tokens();
  const auto& whole = reader.whole();
  std::set<std::string, std::less<>> hiding{std::string(name)}, pasting;
  const auto& directives = reader.directives();
  // A name of the macro's own arguments is not the name that is looked for.
  const auto has = [](const lex::Directive& directive, const auto& is_wanted) {
    const auto& parts = directive.tokens;
    std::set<std::string_view> arguments;
    std::size_t i = 2;
    if (parts.size() > 2 && parts[2].is("(") && parts[2].offset == parts[1].end)
      while (i < parts.size() && !parts[i++].is(")")) arguments.insert(parts[i - 1].text);
    for (; i < parts.size(); ++i)
      if (!arguments.contains(parts[i].text) && is_wanted(parts[i])) return true;
    return false;
  };
  for (bool is_more = true; is_more;) {
    is_more = false;
    for (const lex::Directive& directive : directives) {
      if (directive.name() != "define" || directive.word() == name) continue;
      if (has(directive, [](const lex::Token& token) { return token.is("#"); }))
        pasting.emplace(directive.word());
      if (has(directive, [&](const lex::Token& token) {
            return token.kind == lex::Token::Kind::Word && hiding.contains(token.text);
          }))
        is_more = hiding.emplace(directive.word()).second || is_more;
    }
  }
  for (std::size_t i = code.begin; i < code.end; ++i) {
    const std::string_view word = reader.word(i);
    if (word != name && hiding.contains(word)) return std::string(word);
    if (!pasting.contains(word) || !reader.at(i + 1, "(")) continue;
    const std::size_t close = std::min(lex::find_closing(tokens, i + 1), code.end);
    for (std::size_t k = i + 2; k < close; ++k)
      if (reader.word(k) == name) return std::string(word);
  }
  if (code.is_empty()) return {};
  const std::size_t begin = tokens[code.begin].offset, end = tokens[code.end - 1].end;
  for (const lex::Directive& directive : directives) {
    const std::size_t offset = whole[directive.first].offset;
    if (offset < begin || offset >= end || directive.name() == "define") continue;
    for (const lex::Token& token : directive.tokens)
      if (token.kind == lex::Token::Kind::Word && hiding.contains(token.text))
        return "#" + std::string(directive.name());
  }
  return {};
}

Result<> check_name(const SiteReader& reader, TokenRange code, std::string_view name) {
  const std::string shown = sanitise(name, 60);
  const std::string macro = hiding_macro(reader, code, name);
  if (!macro.empty() && !macro.starts_with('#')) {
    std::size_t use = code.begin;
    while (use + 1 < code.end && reader.word(use) != macro) ++use;
    return reader.refuse(
        use, "macro " + macro,
        fmt::format("the macro '{}' uses '{}', which is rewritten here; write what the macro "
                    "stands for",
                    sanitise(macro, 60), shown));
  }
  const NameUses uses = find_name_uses(reader, code, name);
  if (!uses.unclear && uses.declarations.empty()) return {};
  return reader.refuse(uses.unclear ? *uses.unclear : uses.declarations.front(), shown + " twice",
                       fmt::format("'{0}' names two things in this function; give this one "
                                   "another name, such as {0}2",
                                   shown));
}

std::optional<std::size_t> find_lambda(const SiteReader& reader, TokenRange code) {
  for (std::size_t i = code.begin + 1; i < code.end; ++i) {
    if (!reader.at(i, "[")) continue;
    const bool is_index = (reader.is_word(i - 1) && reader.word(i - 1) != "return") ||
                          reader.at(i - 1, "]") || reader.at(i - 1, ")");
    if (reader.at(i + 1, "[") || reader.at(i - 1, "[")) continue;  // an attribute
    // In a structured binding, the bracket stands behind `auto` or an &.
    if (!is_index && !reader.at(i - 1, "&")) return i;
  }
  return std::nullopt;
}

}  // namespace kw::task
