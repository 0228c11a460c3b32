// Replaces macros in the tokens of a foreign source.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "import/foreign_source.h"

namespace kw::import {
namespace {

using lex::Token;

constexpr std::size_t kMostTokens = 200'000;
constexpr std::size_t kDeepestExpansion = 64;

/// Replaces macros in a list of tokens.
class Expander {
 public:
  explicit Expander(const ForeignSource& source) : source_(source) {}

  std::vector<Token> run(const Token* begin, const Token* end) {
    std::vector<Token> out;
    expand(begin, end, out);
    return out;
  }

 private:
  void expand(const Token* at, const Token* end, std::vector<Token>& out) {
    for (; at != end && out.size() < kMostTokens && made_ < kMostTokens; ++at) {
      const Macro* macro = at->kind == Token::Kind::Word ? find(at->text, at->offset) : nullptr;
      const bool is_call = at + 1 != end && (at + 1)->is("(");
      if (macro == nullptr || (macro->is_function && !is_call) ||
          (!macro->is_function && is_plain_expression(*macro))) {
        out.push_back(*at);
        continue;
      }
      const Token name = *at;
      std::vector<std::vector<Token>> arguments;
      if (macro->is_function) at = read_arguments(at + 1, end, macro->parameters, arguments);
      if (at == end) return;
      replace(*macro, name, arguments, out);
    }
  }

  const Macro* find(std::string_view name, std::size_t offset) const {
    const Macro* found = macro_at(source_, std::string(name), offset);
    return found == nullptr || active_.contains(found->name) ? nullptr : found;
  }

  /// Reads a macro's arguments; returns the closing bracket, or `end` where it is missing.
  const Token* read_arguments(const Token* open, const Token* end,
                              const std::vector<std::string>& names,
                              std::vector<std::vector<Token>>& arguments) {
    int depth = 0;
    arguments.emplace_back();
    const Token* at = open;
    for (; at != end; ++at) {
      const bool opens = at->is("(") || at->is("[") || at->is("{");
      const bool closes = at->is(")") || at->is("]") || at->is("}");
      if (closes && --depth == 0) return at;
      const bool is_rest =
          !names.empty() && names.back() == "__VA_ARGS__" && arguments.size() == names.size();
      if (depth == 1 && at->is(",") && !is_rest)
        arguments.emplace_back();
      else if (depth > 0)
        arguments.back().push_back(*at);
      if (opens) ++depth;
    }
    return end;
  }

  void replace(const Macro& macro, const Token& name,
               const std::vector<std::vector<Token>>& arguments, std::vector<Token>& out) {
    std::vector<Token> body;
    for (Token token : lex::tokenize(macro.body)) {
      token.offset = name.offset;
      token.end = name.offset + token.text.size();
      const auto at = std::ranges::find(macro.parameters, token.text);
      const auto index = static_cast<std::size_t>(at - macro.parameters.begin());
      if (token.kind != Token::Kind::Word || at == macro.parameters.end()) {
        if (!token.is("#")) body.push_back(token);
      } else if (index < arguments.size()) {
        body.insert(body.end(), arguments[index].begin(), arguments[index].end());
      }
      if (body.size() > kMostTokens) return;
    }
    if (active_.size() >= kDeepestExpansion) return;
    made_ += body.size();
    active_.insert(macro.name);
    expand(body.data(), body.data() + body.size(), out);
    active_.erase(macro.name);
  }

  const ForeignSource& source_;
  std::set<std::string> active_;
  std::size_t made_ = 0;
};

}  // namespace

bool is_plain_expression(const Macro& macro) {
  if (macro.is_function || macro.body.empty()) return false;
  static constexpr std::string_view kSigns[] = {"(", ")",  "+",  "-", "*", "/",
                                                "%", "<<", ">>", "?", ":", "::"};
  const auto tokens = lex::tokenize(macro.body);
  return std::ranges::all_of(tokens, [](const Token& token) {
    return token.kind == Token::Kind::Word || token.kind == Token::Kind::Number ||
           std::ranges::find(kSigns, token.text) != std::end(kSigns);
  });
}

const Macro* macro_at(const ForeignSource& source, const std::string& name, std::size_t offset) {
  if (const auto history = source.macro_history.find(name); history != source.macro_history.end()) {
    const Macro* found = nullptr;
    for (const Macro& macro : history->second)
      if (macro.offset <= offset) found = &macro;
    return found == nullptr || found->name.empty() ? nullptr : found;
  }
  const auto macro = source.macros.find(name);
  return macro == source.macros.end() ? nullptr : &macro->second;
}

std::vector<lex::Token> expand_macros(const ForeignSource& source, std::size_t begin,
                                      std::size_t end) {
  const Token* tokens = source.tokens.data();
  return Expander(source).run(tokens + begin, tokens + std::max(begin, end));
}

}  // namespace kw::import
