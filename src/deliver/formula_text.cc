// Translates expressions piece by piece: respells names, wraps numbers, and keeps everything else.
// SPDX-License-Identifier: Apache-2.0
#include "deliver/formula_text.h"

#include <fmt/format.h>

#include "base/characters.h"
#include "base/contains.h"

namespace kw::deliver {
namespace {

/// Callbacks that translate the pieces of an expression: words (names, functions), numbers, and
/// symbols including blanks.
struct Pieces {
  std::function<Result<std::string>(std::string_view)> word;
  std::function<std::string(std::string_view)> number;
  std::function<Result<std::string>(std::string_view)> symbol;
};

Result<std::string> translated(std::string_view text, const Pieces& pieces) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (is_name_start(text[at])) {
      while (end < text.size() && is_name_char(text[end])) ++end;
      out += KW_TRY(pieces.word(text.substr(at, end - at)));
    } else if (is_digit(text[at]) ||
               (text[at] == '.' && end < text.size() && is_digit(text[end]))) {
      // The sign of an exponent, as in 1e-3, is part of the number.
      while (end < text.size() && (is_name_char(text[end]) || text[end] == '.' ||
                                   ((text[end] == '-' || text[end] == '+') &&
                                    (text[end - 1] == 'e' || text[end - 1] == 'E') &&
                                    !text.substr(at).starts_with("0x"))))
        ++end;
      out += pieces.number(text.substr(at, end - at));
    } else {
      for (const std::string_view two : {"&&", "||", "==", "!=", "<=", ">="})
        if (text.substr(at, 2) == two) end = at + 2;
      out += KW_TRY(pieces.symbol(text.substr(at, end - at)));
    }
    at = end;
  }
  return out;
}

}  // namespace

Result<std::string> cpp_text(const Expr& expr, const Spelling& spell) {
  return translated(
      expr.text(),
      {[&](std::string_view word) -> Result<std::string> {
         if (is_expression_function(word)) return "kw_" + std::string(word);
         return spell(word);
       },
       [](std::string_view number) { return fmt::format("Int({}ll)", number); },
       [](std::string_view symbol) -> Result<std::string> { return std::string(symbol); }});
}

Result<std::string> cpp_real_text(std::string_view text, const Spelling& spell) {
  static const std::vector<std::string> kFunctions{"sqrt", "exp", "log", "sin", "cos",
                                                   "pow",  "min", "max", "abs"};
  return translated(
      text, {[&](std::string_view word) -> Result<std::string> {
               if (word == "inf") return std::string("std::numeric_limits<double>::infinity()");
               if (word == "nan") return std::string("std::numeric_limits<double>::quiet_NaN()");
               if (word == "min" || word == "max") return "std::f" + std::string(word);
               if (contains(kFunctions, word)) return "std::" + std::string(word);
               return "real(" + KW_TRY(spell(word)) + ")";
             },
             [](std::string_view number) { return fmt::format("double({})", number); },
             [](std::string_view symbol) -> Result<std::string> { return std::string(symbol); }});
}

Result<std::string> python_text(const Expr& expr, const Spelling& spell) {
  return translated(expr.text(),
                    {[&](std::string_view word) -> Result<std::string> {
                       if (word == "min" || word == "max" || word == "abs")
                         return std::string(word);
                       if (is_expression_function(word)) return "_" + std::string(word);
                       return spell(word);
                     },
                     [](std::string_view number) { return std::string(number); },
                     [&](std::string_view symbol) -> Result<std::string> {
                       if (symbol == "?")
                         return fail_input(
                             ErrorCode::Unsupported, About{"?:"},
                             "the formula '" + expr.text() +
                                 "' has a choice (?:), which Python writes in another order");
                       if (symbol == "/") return std::string("//");
                       if (symbol == "&&") return std::string(" and ");
                       if (symbol == "||") return std::string(" or ");
                       if (symbol == "!") return std::string(" not ");
                       return std::string(symbol);
                     }});
}

std::optional<std::string> solved_name(const Expr& formula, const std::vector<std::string>& known) {
  std::optional<std::string> unknown;
  for (const std::string& name : formula.names()) {
    if (contains(known, name)) continue;
    if (unknown) return std::nullopt;
    unknown = name;
  }
  if (!unknown) return std::nullopt;
  for (const std::int64_t others : {1, 7, 64}) {
    Names names;
    for (const std::string& name : formula.names()) names[name] = others;
    names[*unknown] = 0;
    const auto base = formula.evaluate(names);
    for (const std::int64_t value : {1, 5, 1000}) {
      names[*unknown] = value;
      const auto now = formula.evaluate(names);
      if (!base || !now || *now - *base != value) return std::nullopt;
    }
  }
  return unknown;
}

}  // namespace kw::deliver
