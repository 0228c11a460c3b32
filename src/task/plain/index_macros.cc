// Writes macros out that index arrays: `#define IDX(i, j) ((i) * n + (j))` in `a[IDX(i, j)]`, and
// `#define A(i, j) a[(i) * n + (j)]`. What they mean stays as it is, and the indices can be read.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "task/plain/edits.h"
#include "task/plain/forms.h"
#include "task/plain/site_reader.h"

namespace kw::task {
namespace {

constexpr int kMostExpansions = 64;  // of macros within macros
constexpr std::size_t kMostExpandedBytes = 1 << 14;

/// A macro with arguments. Its body is what is written in its place.
struct IndexMacro {
  std::vector<std::string> parameters;
  std::vector<lex::Token> body;

  bool indexes() const {
    return std::ranges::any_of(body, [](const lex::Token& token) { return token.is("["); });
  }
};

using IndexMacros = std::map<std::string, IndexMacro, std::less<>>;

/// Nothing where the line defines no macro of an expression with named arguments.
std::optional<IndexMacro> read_macro(const lex::Directive& directive) {
  const auto& tokens = directive.tokens;
  if (directive.name() != "define" || tokens.size() < 5 || !tokens[2].is("(") ||
      tokens[2].offset != tokens[1].end)
    return std::nullopt;
  IndexMacro macro;
  std::size_t i = 3;
  for (; i + 1 < tokens.size() && tokens[i].kind == lex::Token::Kind::Word; i += 2) {
    macro.parameters.emplace_back(tokens[i].text);
    if (!tokens[i + 1].is(",")) break;
  }
  if (macro.parameters.empty() || i + 1 >= tokens.size() || !tokens[i + 1].is(")"))
    return std::nullopt;
  for (i += 2; i < tokens.size(); ++i) {
    for (const char* other : {"#", "##", ";", "{", "}", "__VA_ARGS__"})
      if (tokens[i].is(other)) return std::nullopt;
    if (tokens[i].kind != lex::Token::Kind::Comment) macro.body.push_back(tokens[i]);
  }
  return macro.body.empty() ? std::nullopt : std::optional(std::move(macro));
}

/// The macros that are defined once and never taken back.
IndexMacros macros_of(const SiteReader& reader) {
  IndexMacros macros;
  std::map<std::string, int, std::less<>> mentions;
  for (const lex::Directive& directive : reader.directives()) {
    if (directive.name() != "define" && directive.name() != "undef") continue;
    ++mentions[std::string(directive.word())];
    if (auto macro = read_macro(directive))
      macros.emplace(std::string(directive.word()), *std::move(macro));
  }
  std::erase_if(macros, [&](const auto& macro) { return mentions[macro.first] > 1; });
  return macros;
}

/// The macro's call at the token; the token behind it, or nothing where its arguments do not fit.
struct Call {
  std::string text;
  std::size_t end = 0;
};
std::optional<Call> expanded(const IndexMacro& macro, const std::vector<lex::Token>& tokens,
                             std::size_t name) {
  const std::size_t close = lex::find_closing(tokens, name + 1);
  if (close >= tokens.size()) return std::nullopt;
  std::vector<std::string> arguments;
  std::size_t begin = name + 2;
  for (std::size_t i = begin; i <= close; ++i) {
    if (i == close || tokens[i].is(",")) {
      arguments.push_back(lex::source_text(tokens, begin, i));
      begin = i + 1;
    } else if (tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{")) {
      i = lex::find_closing(tokens, i);
    }
  }
  if (arguments.size() != macro.parameters.size()) return std::nullopt;
  Call call{.text = {}, .end = close + 1};
  for (std::size_t i = 0; i < macro.body.size(); ++i) {
    const lex::Token& token = macro.body[i];
    if (i > 0 && token.offset > macro.body[i - 1].end) call.text += ' ';
    const auto parameter = std::ranges::find(macro.parameters, token.text);
    call.text += parameter == macro.parameters.end()
                     ? std::string(token.text)
                     : arguments[static_cast<std::size_t>(parameter - macro.parameters.begin())];
  }
  return call;
}

bool is_call(const IndexMacros& macros, const std::vector<lex::Token>& tokens, std::size_t i) {
  return i + 1 < tokens.size() && tokens[i].kind == lex::Token::Kind::Word &&
         tokens[i + 1].is("(") && macros.contains(tokens[i].text);
}

/// The text with all of the macros in it written out; nothing where they do not come to an end.
std::optional<std::string> written_out(const IndexMacros& macros, std::string text) {
  for (int count = 0; text.size() <= kMostExpandedBytes; ++count) {
    const auto tokens = lex::tokenize(text);
    std::size_t i = 0;
    while (i < tokens.size() && !is_call(macros, tokens, i)) ++i;
    if (i == tokens.size()) return text;
    if (count == kMostExpansions) break;
    const auto call = expanded(macros.find(tokens[i].text)->second, tokens, i);
    if (!call) break;
    text = text.substr(0, tokens[i].offset) + call->text + text.substr(tokens[call->end - 1].end);
  }
  return std::nullopt;
}

}  // namespace

Result<PlainStep> plain_index_macros(const PlainSite& site) {
  const SiteReader reader(site);
  const IndexMacros macros = macros_of(reader);
  if (macros.empty()) return PlainStep{};
  TokenEdits edits(reader);
  std::vector<std::string> names;
  const auto& tokens = reader.tokens();
  std::vector<std::size_t> closings;  // of the brackets around the present token
  for (std::size_t i = reader.body().begin; i < reader.body().end; ++i) {
    while (!closings.empty() && closings.back() <= i) closings.pop_back();
    if (reader.at(i, "[")) closings.push_back(lex::find_closing(tokens, i));
    if (!is_call(macros, tokens, i)) continue;
    const auto macro = macros.find(tokens[i].text);
    if (closings.empty() && !macro->second.indexes()) continue;
    const auto call = expanded(macro->second, tokens, i);
    auto text = call ? written_out(macros, call->text) : std::nullopt;
    if (!text) continue;
    edits.replace({i, call->end}, *text);
    if (std::ranges::find(names, macro->first) == names.end()) names.push_back(macro->first);
    i = call->end - 1;
  }
  std::vector<std::string> notes;
  for (const std::string& name : names)
    notes.push_back(
        fmt::format("{}: the macro is written out where it indexes arrays", sanitise(name, 60)));
  return PlainStep{edits.edits(), std::move(notes)};
}

}  // namespace kw::task
