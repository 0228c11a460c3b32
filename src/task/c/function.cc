// Finds the definitions of functions in C source and parses their parameters.
// SPDX-License-Identifier: Apache-2.0
#include "task/c/function.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/expr.h"
#include "base/text.h"
#include "base/with_nearest.h"
#include "lex/directives.h"
#include "task/c/types.h"

namespace kw::task {
namespace {

using Tokens = std::vector<lex::Token>;

bool is_word_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

/// Reads the parameter list of one function.
class ParameterParser {
 public:
  ParameterParser(std::string_view source, std::string_view file, const Tokens& tokens)
      : source_(source), file_(file), tokens_(tokens), names_(type_names_of(source, tokens)) {}

  Result<std::vector<CParameter>> run(std::size_t open, std::size_t close) const {
    std::vector<CParameter> parameters;
    if (open + 1 == close || (open + 2 == close && tokens_[open + 1].is("void"))) return parameters;
    std::size_t start = open + 1;
    int depth = 0;
    for (std::size_t i = start; i <= close; ++i) {
      const auto& token = tokens_[i];
      const bool opens = token.is("(") || token.is("[");
      if (opens) ++depth;
      if (i == close || (token.is(",") && depth == 0)) {
        parameters.push_back(KW_TRY(read(start, i)));
        start = i + 1;
      } else if (token.is(")") || token.is("]")) {
        --depth;
      }
    }
    return parameters;
  }

 private:
  /// An error about the token itself.
  std::unexpected<Error> error(std::size_t token, std::string message) const {
    return error(token, About{std::string(token < tokens_.size() ? tokens_[token].text : "end")},
                 std::move(message));
  }
  std::unexpected<Error> error(std::size_t token, About about, std::string message) const {
    const auto offset = token < tokens_.size() ? tokens_[token].offset : source_.size();
    const Position place = position_of(source_, offset);
    return fail(ErrorCode::Unsupported, std::move(about), std::move(message),
                fmt::format("{}:{}:{}", file_, place.line, place.column), Advice::Stop);
  }

  Result<CParameter> read(std::size_t begin, std::size_t end) const {
    if (begin == end) return error(begin, About{"parameter"}, "expected a parameter");
    CParameter parameter;
    std::vector<std::string> type;
    std::size_t stars = 0;
    std::size_t i = begin;
    for (; i < end && !tokens_[i].is("["); ++i) {
      const auto& token = tokens_[i];
      if (token.is("&"))
        return error(i, "a function with a C++ reference cannot be drafted from; use a pointer");
      if (token.is("="))
        return error(i, "a function with default arguments cannot be drafted from");
      if (token.is("..."))
        return error(i, "a function with variable arguments (...) cannot be drafted from");
      if (token.is("*")) {
        ++stars;
      } else if (token.is("const")) {
        parameter.is_const = parameter.is_const || stars == 0;
      } else if (token.is("(") || token.is(")")) {
        // A parameter (*a)[m] is an array whose first bound is unknown.
        if (token.is(")") && stars == 1) parameter.bounds.emplace_back();
      } else if (token.kind != lex::Token::Kind::Word && !token.is("::")) {
        return error(i, fmt::format("this parameter of the function holds an unexpected '{}'",
                                    sanitise(token.text, 20)));
      } else if (!is_word_of(token.text, {"restrict", "__restrict", "__restrict__", "std", "::"})) {
        type.emplace_back(token.text);
      }
    }
    if (stars > 1)
      return error(begin, About{"pointer to pointers"},
                   "a pointer to pointers is not one block of memory; pass one pointer");
    if (type.size() < 2)
      return error(begin, About{"name or type"},
                   "a parameter of the function lacks its name or its type");
    parameter.name = type.back();
    type.pop_back();
    const auto dtype = dtype_of(type, names_);
    if (!dtype)
      return error(begin, About{sanitise(join(type, " "), 60)},
                   fmt::format("the type '{}' of '{}' is not supported; there are {}",
                               sanitise(join(type, " "), 60), parameter.name, kKnownTypes));
    parameter.dtype = *dtype;
    if (!is_usable_identifier(parameter.name) || is_expression_function(parameter.name))
      return error(begin, About{"name " + parameter.name},
                   fmt::format("'{}' cannot name an argument", parameter.name));
    while (i < end) {
      if (!tokens_[i].is("[")) return error(i, "expected '['");
      const auto close = lex::find_closing(tokens_, i);
      if (close >= end) return error(i, "']' is missing");
      parameter.bounds.push_back(text_of(i + 1, close));
      i = close + 1;
    }
    parameter.is_pointer = stars == 1 || !parameter.bounds.empty();
    return parameter;
  }

  std::string text_of(std::size_t begin, std::size_t end) const {
    std::vector<std::string> words;
    for (std::size_t i = begin; i < end; ++i)
      if (!is_word_of(tokens_[i].text, {"static", "const", "restrict"}))
        words.emplace_back(tokens_[i].text);
    return join(words, " ");
  }

  std::string_view source_;
  std::string_view file_;
  const Tokens& tokens_;
  TypeNames names_;
};

/// The first token of the declaration that ends at `name`.
std::size_t declaration_begin(const Tokens& tokens, std::size_t name) {
  std::size_t begin = name;
  while (begin > 0 && !tokens[begin - 1].is(";") && !tokens[begin - 1].is("}") &&
         !tokens[begin - 1].is("{"))
    --begin;
  return begin;
}

bool has_word(const Tokens& tokens, const CFunction& function, std::string_view word) {
  for (std::size_t i = function.begin; i < function.open && !tokens[i].is("("); ++i)
    if (tokens[i].is(word)) return true;
  return false;
}

}  // namespace

const CParameter* CFunction::find(std::string_view parameter) const {
  const auto found = std::ranges::find(parameters, parameter, &CParameter::name);
  return found == parameters.end() ? nullptr : &*found;
}

std::vector<CFunction> find_functions(const Tokens& tokens) {
  std::vector<CFunction> functions;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].is("{")) {
      // Functions inside extern "C" { … } and namespaces are found, too.
      const bool is_block =
          i >= 1 && (tokens[i - 1].kind == lex::Token::Kind::Text ||
                     tokens[i - 1].is("namespace") || (i >= 2 && tokens[i - 2].is("namespace")));
      if (!is_block) i = lex::find_closing(tokens, i);
      continue;
    }
    if (tokens[i].kind != lex::Token::Kind::Word || !tokens[i + 1].is("(")) continue;
    const auto close = lex::find_closing(tokens, i + 1);
    if (close + 1 >= tokens.size()) break;
    const auto begin = declaration_begin(tokens, i);
    if (!tokens[close + 1].is("{") || begin == i) {
      i = close;
      continue;
    }
    CFunction function;
    function.name = tokens[i].text;
    function.begin = begin;
    function.open = close + 1;
    function.close = lex::find_closing(tokens, close + 1);
    if (function.close == tokens.size()) break;
    i = function.close;
    functions.push_back(std::move(function));
  }
  return functions;
}

std::vector<CFunction> helpers_of(const Tokens& tokens, const CFunction& function) {
  const std::vector<CFunction> all = find_functions(tokens);
  std::multimap<std::string_view, std::size_t> unseen;  // by name
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].begin != function.begin) unseen.emplace(all[i].name, i);
  std::set<std::size_t> used;
  std::vector<const CFunction*> open = {&function};
  while (!open.empty()) {
    const CFunction& user = *open.back();
    open.pop_back();
    for (std::size_t i = user.begin; i < user.close; ++i) {
      const auto [first, last] = unseen.equal_range(tokens[i].text);
      for (auto named = first; named != last; ++named) {
        used.insert(named->second);
        open.push_back(&all[named->second]);
      }
      unseen.erase(first, last);
    }
  }
  std::vector<CFunction> helpers;
  for (const std::size_t i : used) helpers.push_back(all[i]);
  return helpers;
}

Result<CFunction> parse_c_function(std::string_view source, std::string_view file,
                                   const Tokens& tokens, std::string_view wanted) {
  auto functions = find_functions(tokens);
  std::vector<std::string> names;
  for (const auto& function : functions)
    if (!wanted.empty() || !has_word(tokens, function, "static")) names.push_back(function.name);
  const auto refuse = [&](ErrorCode code, std::string about, std::string message) {
    return fail(code, About{std::move(about)}, std::move(message), std::string(file), Advice::Stop);
  };
  if (functions.empty())
    return refuse(ErrorCode::Missing, "function",
                  "the file has no complete definition of a function to draft from");
  if (wanted.empty() && names.size() != 1)
    return refuse(
        ErrorCode::Missing, names.empty() ? "--function, static" : "--function",
        names.empty()
            ? "every function of the file is static; name the one to draft from with --function"
            : fmt::format(
                  "the file has several functions ({}); name the one to draft from with --function",
                  sanitise(join(names, ", "), 200)));
  const auto name = wanted.empty() ? names.front() : std::string(wanted);
  const auto found = std::ranges::find(functions, name, &CFunction::name);
  if (found == functions.end())
    return refuse(ErrorCode::NotFound, with_nearest(sanitise(name, 60), names),
                  fmt::format("no function '{}'{}", sanitise(name, 60), suggestion(name, names)));
  CFunction function = *found;
  const auto place = position_of(source, tokens[function.begin].offset);
  const auto at = fmt::format("{}:{}:{}", file, place.line, place.column);
  for (const auto* word : {"template", "operator", "class"})
    if (has_word(tokens, function, word))
      return fail(ErrorCode::Unsupported, About{word},
                  "a task cannot be drafted from a template or a member function", at,
                  Advice::Stop);
  if (!has_word(tokens, function, "void"))
    return fail(ErrorCode::Unsupported, About{"returned value"},
                fmt::format("'{}' returns a value; let it return void and write through a pointer",
                            function.name),
                at, Advice::Stop);
  std::size_t open = function.begin;
  while (!tokens[open].is("(")) ++open;
  function.parameters =
      KW_TRY(ParameterParser(source, file, tokens).run(open, lex::find_closing(tokens, open)));
  std::set<std::string> seen;
  for (const auto& parameter : function.parameters)
    if (!seen.insert(parameter.name).second)
      return fail(ErrorCode::BadInput, About{parameter.name},
                  fmt::format("two parameters of the function have the name '{}'", parameter.name),
                  at, Advice::Stop);
  return function;
}

std::map<std::string, std::int64_t> integer_macros(std::string_view source) {
  std::map<std::string, std::int64_t> macros;
  const lex::Tokens all = lex::lex(source);
  for (const lex::Directive& directive : lex::directives_of(all)) {
    const auto& tokens = directive.tokens;
    if (directive.name() != "define" || tokens.size() < 3) continue;
    const bool takes_arguments = tokens[2].is("(") && tokens[2].offset == tokens[1].end;
    if (takes_arguments || !is_usable_identifier(directive.word())) continue;
    if (const auto value = evaluate_text(directive.text(2), {}))
      macros[std::string(directive.word())] = *value;
  }
  return macros;
}

std::map<std::string, double, std::less<>> number_macros(std::string_view source) {
  std::map<std::string, double, std::less<>> macros;
  const lex::Tokens all = lex::lex(source);
  for (const lex::Directive& directive : lex::directives_of(all)) {
    const auto& parts = directive.tokens;
    const bool has_brackets = parts.size() == 5 && parts[2].is("(") && parts[4].is(")");
    if (directive.name() != "define" || (parts.size() != 3 && !has_brackets)) continue;
    const lex::Token& number = parts[has_brackets ? 3 : 2];
    if (number.kind != lex::Token::Kind::Number) continue;
    const std::string text(number.text);
    macros[std::string(directive.word())] = std::strtod(text.c_str(), nullptr);
  }
  return macros;
}

}  // namespace kw::task
