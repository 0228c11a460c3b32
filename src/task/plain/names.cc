// Reads parameter lists and scopes by tokens, with every index checked against their number.
// SPDX-License-Identifier: Apache-2.0
#include "task/plain/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/contains.h"
#include "base/text.h"
#include "lex/directives.h"
#include "task/c/loops.h"
#include "task/c/types.h"

namespace kw::task {
namespace {

using Tokens = std::vector<lex::Token>;

bool is_any_word(const lex::Token& token) { return token.kind == lex::Token::Kind::Word; }

bool is_any_of(const lex::Token& token, std::initializer_list<std::string_view> texts) {
  return std::ranges::any_of(texts, [&](std::string_view text) { return token.is(text); });
}

/// Words that may stand before a name without declaring it.
bool is_statement_word(const lex::Token& token) {
  return is_any_of(token, {"return", "else", "case", "goto", "throw", "do", "sizeof", "new",
                           "delete", "and", "or", "not", "in"});
}

/// Whether the use of a name declares it.
bool is_declaration(const PlainSite& site, std::size_t name) {
  const Tokens& tokens = site.tokens;
  const lex::Token& before = tokens[name - 1];
  if (is_any_word(before)) return !is_statement_word(before);
  std::size_t type = name - 1;
  while (type > site.open && is_any_of(tokens[type], {"*", "&"})) --type;
  if (type < name - 1 && is_any_word(tokens[type]))
    return tokens[type].is("const") || tokens[type].is("auto") ||
           dtype_of(std::array{std::string(tokens[type].text)}, typedefs_of(tokens)).has_value();
  if (!before.is(",")) return false;
  std::size_t first = name;
  int depth = 0;
  while (first > site.open) {
    const lex::Token& token = tokens[first - 1];
    if (is_any_of(token, {";", "{", "}"})) break;
    if (is_any_of(token, {")", "]"})) ++depth;
    if (is_any_of(token, {"(", "["}) && depth-- == 0) return false;
    --first;
  }
  return first + 1 < name && begins_declaration(site, first);
}

}  // namespace

std::vector<ParameterTokens> parameters_of(const PlainSite& site) {
  const Tokens& tokens = site.tokens;
  std::vector<ParameterTokens> parameters;
  const std::size_t open = site.name + 1;
  if (open >= site.open || !tokens[open].is("(")) return parameters;
  const std::size_t close = std::min(lex::find_closing(tokens, open), site.open);
  ParameterTokens parameter{open + 1, 0, 0};
  int depth = 0, angles = 0;
  for (std::size_t i = open + 1; i <= close; ++i) {
    const lex::Token& token = tokens[i];
    if (i == close || (token.is(",") && depth == 0 && angles <= 0)) {
      parameter.end = parameter.name = i;
      int inner = 0;
      for (std::size_t k = parameter.begin; k < i && !is_any_of(tokens[k], {"[", "="}); ++k) {
        inner += tokens[k].is("<") ? 1 : tokens[k].is(">") ? -1 : tokens[k].is(">>") ? -2 : 0;
        if (is_any_word(tokens[k]) && inner == 0 && k > parameter.begin) parameter.name = k;
      }
      if (parameter.begin < i) parameters.push_back(parameter);
      parameter = {i + 1, 0, 0};
      angles = 0;
      continue;
    }
    if (is_any_of(token, {"(", "[", "{"})) ++depth;
    if (is_any_of(token, {")", "]", "}"})) --depth;
    angles += token.is("<") ? 1 : token.is(">") ? -1 : token.is(">>") ? -2 : 0;
  }
  return parameters;
}

std::vector<std::size_t> uses_in_body(const PlainSite& site, std::string_view name) {
  std::vector<std::size_t> uses;
  for (std::size_t i = site.open + 1; i < site.close; ++i)
    if (is_any_word(site.tokens[i]) && site.tokens[i].is(name) &&
        !is_any_of(site.tokens[i - 1], {".", "->", "::"}))
      uses.push_back(i);
  return uses;
}

Result<> check_name(const PlainSite& site, std::string_view name, std::size_t from,
                    std::size_t to) {
  const lex::Tokens all = lex::lex(site.source);
  for (const lex::Directive& directive : lex::directives_of(all)) {
    const auto& parts = directive.tokens;
    if (directive.name() != "define" || parts.size() < 3) continue;
    std::size_t text = 2;
    if (parts[2].is("(") && parts[2].offset == parts[1].end) {
      while (text < parts.size() && !parts[text].is(")") && !parts[text].is(name)) ++text;
      if (text == parts.size() || parts[text].is(name)) continue;  // the macro's own parameter
    }
    const auto is_name = [&](const lex::Token& part) { return is_any_word(part) && part.is(name); };
    const auto text_begin = parts.begin() + static_cast<std::ptrdiff_t>(text);
    if (std::none_of(text_begin, parts.end(), is_name)) continue;
    for (std::size_t i = std::max(from, site.open + 1); i < std::min(to, site.close); ++i)
      if (is_any_word(site.tokens[i]) && site.tokens[i].is(directive.word()))
        return refuse_form(
            site, i, fmt::format("macro {}", sanitise(directive.word(), 60)),
            fmt::format("the macro '{}' uses '{}', which is rewritten here; write what the macro "
                        "stands for",
                        sanitise(directive.word(), 60), sanitise(name, 60)));
  }
  for (const std::size_t use : uses_in_body(site, name))
    if (use >= from && use < to && is_declaration(site, use))
      return refuse_form(site, use, fmt::format("{} twice", sanitise(name, 60)),
                         fmt::format("'{0}' names two things in this function; give this one "
                                     "another name, such as {0}2",
                                     sanitise(name, 60)));
  return {};
}

std::size_t block_close(const PlainSite& site, std::size_t token) {
  int depth = 0;
  for (std::size_t i = token; i < site.close; ++i) {
    if (site.tokens[i].is("{")) ++depth;
    if (site.tokens[i].is("}") && depth-- == 0) return i;
  }
  return site.close;
}

std::size_t indices_end(const PlainSite& site, std::size_t i) {
  while (i < site.close && site.tokens[i].is("[")) {
    const std::size_t close = lex::find_closing(site.tokens, i);
    if (close >= site.close) break;
    i = close + 1;
  }
  return i;
}

bool keeps_value(const PlainSite& site, std::size_t begin, std::size_t end, std::size_t until) {
  if (begin >= end || end > site.close) return false;
  for (std::size_t i = begin; i < end; ++i) {
    const lex::Token& token = site.tokens[i];
    if (is_any_of(token, {"+", "-", "*", "(", ")", "[", "]"}) ||
        token.kind == lex::Token::Kind::Number)
      continue;
    if (!is_any_word(token) || (i + 1 < end && site.tokens[i + 1].is("("))) return false;
    for (std::size_t k = end; k < until && k < site.close; ++k) {
      if (!is_any_word(site.tokens[k]) || !site.tokens[k].is(token.text) ||
          is_any_of(site.tokens[k - 1], {".", "->"}))
        continue;
      if (is_changed(site.tokens, k, indices_end(site, k + 1)) || is_declaration(site, k))
        return false;
      if (site.tokens[k - 1].is("&") && k >= 2 &&
          is_any_of(site.tokens[k - 2], {"(", ",", "=", "return"}))
        return false;
    }
  }
  return true;
}

bool is_changed(const Tokens& tokens, std::size_t begin, std::size_t end) {
  const auto is_step = [](const lex::Token& token) { return token.is("++") || token.is("--"); };
  return is_assignment(tokens, end) || (begin > 0 && is_step(tokens[begin - 1])) ||
         (end < tokens.size() && is_any_of(tokens[end], {">>="}));
}

std::string unused_name(const PlainSite& site, const std::string& wish,
                        std::vector<std::string>& given) {
  const auto is_taken = [&](const std::string& name) {
    return contains(given, name) ||
           std::ranges::any_of(lex::significant(site.source),
                               [&](const lex::Token& token) { return token.text == name; });
  };
  std::string name = wish;
  for (int number = 2; is_taken(name); ++number) name = fmt::format("{}{}", wish, number);
  given.push_back(name);
  return name;
}

bool is_fixed_integer(const PlainSite& site, std::string_view name) {
  for (const ParameterTokens& parameter : parameters_of(site)) {
    if (parameter.name + 1 != parameter.end || !site.tokens[parameter.name].is(name)) continue;
    std::vector<std::string> words;
    for (std::size_t i = parameter.begin; i < parameter.name; ++i)
      if (!site.tokens[i].is("const")) words.emplace_back(site.tokens[i].text);
    const auto dtype = dtype_of(words, type_names_of(site.source, site.tokens));
    if (!dtype || is_real(*dtype) || *dtype == Dtype::Bool) return false;
    return std::ranges::none_of(uses_in_body(site, name), [&](std::size_t use) {
      return is_changed(site.tokens, use, use + 1) || is_declaration(site, use) ||
             (site.tokens[use - 1].is("&") && is_any_of(site.tokens[use - 2], {"(", ",", "="}));
    });
  }
  return false;
}

bool begins_declaration(const PlainSite& site, std::size_t token) {
  const Tokens& tokens = site.tokens;
  if (token + 1 >= tokens.size() || !is_any_word(tokens[token])) return false;
  if (is_any_of(tokens[token], {"const", "auto", "static", "struct", "register", "volatile"}))
    return true;
  return dtype_of(std::array{std::string(tokens[token].text)}, typedefs_of(tokens)).has_value();
}

std::unexpected<Error> refuse_form(const PlainSite& site, std::size_t token, std::string about,
                                   std::string message) {
  const std::size_t offset =
      token < site.tokens.size() ? site.tokens[token].offset : site.source.size();
  const Position place = position_of(site.source, offset);
  return fail(ErrorCode::Unsupported, About{std::move(about)}, std::move(message),
              fmt::format("{}:{}:{}", site.file, place.line, place.column), Advice::Stop);
}

void TokenEdits::put(std::size_t token, std::string text) {
  if (Change& change = changes_[token]; !change.is_dropped) change.text = std::move(text);
}

void TokenEdits::drop(std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end && i < tokens_.size(); ++i)
    changes_[i] = {{}, std::string(), {}, true};
}

bool TokenEdits::is_dropped(std::size_t token) const {
  const auto found = changes_.find(token);
  return found != changes_.end() && found->second.is_dropped;
}

std::vector<PlainEdit> TokenEdits::edits() const {
  std::vector<PlainEdit> edits;
  std::size_t last = tokens_.size();
  for (const auto& [token, change] : changes_) {
    if (token >= tokens_.size()) break;
    const std::string text =
        change.before + change.text.value_or(std::string(tokens_[token].text)) + change.after;
    const bool follows =
        last + 1 == token && change.is_dropped && change.before.empty() && is_dropped(last);
    const auto gap =
        follows ? source_.substr(tokens_[last].end, tokens_[token].offset - tokens_[last].end)
                : std::string_view("x");
    if (gap.find_first_not_of(' ') == std::string_view::npos) {
      edits.back().end = tokens_[token].end;
      edits.back().text += text;
    } else {
      edits.push_back({tokens_[token].offset, tokens_[token].end, text});
    }
    last = token;
  }
  return edits;
}

}  // namespace kw::task
