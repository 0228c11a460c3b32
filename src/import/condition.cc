// Evaluates conditions of the preprocessor over integers.
// SPDX-License-Identifier: Apache-2.0
#include "import/condition.h"

#include <charconv>
#include <iterator>
#include <vector>

namespace kw::import {

std::optional<bool> is_defined_macro(const std::string& name,
                                     const std::map<std::string, Macro>& macros,
                                     const std::set<std::string>& varying) {
  if (macros.contains(name)) return true;
  if (name == "__CUDACC__" || name == "__NVCC__" || name == "__cplusplus" || name == "__linux__" ||
      name == "__GNUC__")
    return true;
  // Judged files are compiled on Linux, so the macros of other systems are undefined.
  if (name == "_WIN32" || name == "__APPLE__" || name == "_MSC_VER") return false;
  for (const std::string_view prefix : {"CUDA", "CUDNN", "CUBLAS", "CUB_", "THRUST", "TORCH_"})
    if (name.starts_with(prefix)) return std::nullopt;
  if (name.starts_with("__") || name.starts_with("KW_") || varying.contains(name))
    return std::nullopt;
  return false;
}

namespace {

using lex::Token;

constexpr int kDeepestMacros = 64;  // the deepest nesting of parentheses, and of macros in macros

/// Evaluates the condition of an `#if` over integers. Gives nothing where the compiler or a header
/// decides the condition.
class Condition {
 public:
  Condition(std::string_view text, const std::map<std::string, Macro>& macros,
            const std::set<std::string>& varying, int depth = 0)
      : macros_(macros), varying_(varying), tokens_(lex::tokenize(text)), depth_(depth) {}

  /// The condition's value; nothing where a part of the text is not understood.
  std::optional<std::int64_t> value() {
    const Number value = either();
    return at_ == tokens_.size() ? value : std::nullopt;
  }

 private:
  using Number = std::optional<std::int64_t>;

  bool take(std::string_view symbol) {
    if (at_ >= tokens_.size() || !tokens_[at_].is(symbol)) return false;
    ++at_;
    return true;
  }

  Number either() {
    Number left = both();
    while (take("||")) {
      const Number right = both();
      if ((left && *left != 0) || (right && *right != 0))
        left = 1;
      else
        left = left && right ? Number(0) : std::nullopt;
    }
    return left;
  }

  Number both() {
    Number left = compared();
    while (take("&&")) {
      const Number right = compared();
      if ((left && *left == 0) || (right && *right == 0))
        left = 0;
      else
        left = left && right ? Number(1) : std::nullopt;
    }
    return left;
  }

  /// C's binary operators below && and ||, from the loosest to the tightest.
  static constexpr std::string_view kLevels[][4] = {
      {"|"},        {"^"},      {"&"},          {"==", "!="}, {"<=", ">=", "<", ">"},
      {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};

  static Number apply(std::string_view sign, const Number& left, const Number& right) {
    if (!left || !right) return std::nullopt;
    const std::int64_t a = *left;
    const std::int64_t b = *right;
    if (sign == "==") return a == b;
    if (sign == "!=") return a != b;
    if (sign == "<=") return a <= b;
    if (sign == ">=") return a >= b;
    if (sign == "<") return a < b;
    if (sign == ">") return a > b;
    if (sign == "|") return a | b;
    if (sign == "^") return a ^ b;
    if (sign == "&") return a & b;
    std::int64_t result = 0;
    if (sign == "+") return __builtin_add_overflow(a, b, &result) ? std::nullopt : Number(result);
    if (sign == "-") return __builtin_sub_overflow(a, b, &result) ? std::nullopt : Number(result);
    if (sign == "*") return __builtin_mul_overflow(a, b, &result) ? std::nullopt : Number(result);
    if (sign == "<<" || sign == ">>") {
      if (a < 0 || b < 0 || b > 31 || a > INT32_MAX) return std::nullopt;
      return sign == "<<" ? a << b : a >> b;
    }
    if (b == 0 || a == INT64_MIN) return std::nullopt;
    return sign == "/" ? a / b : a % b;
  }

  Number compared(std::size_t level = 0) {
    if (level == std::size(kLevels)) return unary();
    Number left = compared(level + 1);
    for (bool goes_on = true; goes_on;) {
      goes_on = false;
      for (const std::string_view sign : kLevels[level]) {
        if (sign.empty() || !take(sign)) continue;
        left = apply(sign, left, compared(level + 1));
        goes_on = true;
        break;
      }
    }
    return left;
  }

  Number unary() {
    for (const std::string_view sign : {"!", "-", "+", "~"}) {
      if (!take(sign)) continue;
      const Number value = deeper();
      if (!value || *value == INT64_MIN) return std::nullopt;
      return sign == "!"   ? Number(*value == 0)
             : sign == "-" ? -*value
             : sign == "~" ? ~*value
                           : *value;
    }
    return primary();
  }

  Number deeper() {
    if (++depth_ > kDeepestMacros) return std::nullopt;
    const Number value = unary();
    --depth_;
    return value;
  }

  Number primary() {
    if (at_ >= tokens_.size()) return std::nullopt;
    const Token& token = tokens_[at_++];
    if (token.is("(")) {
      if (++depth_ > kDeepestMacros) return std::nullopt;
      const Number value = either();
      --depth_;
      return take(")") ? value : std::nullopt;
    }
    if (token.kind == Token::Kind::Number) {
      std::int64_t value = 0;
      const bool is_hex = token.text.starts_with("0x") || token.text.starts_with("0X");
      const auto read =
          std::from_chars(token.text.data() + (is_hex ? 2 : 0),
                          token.text.data() + token.text.size(), value, is_hex ? 16 : 10);
      if (!is_hex && token.text.size() > 1 && token.text[0] == '0') return std::nullopt;
      const std::string_view rest(read.ptr, token.text.data() + token.text.size());
      if (read.ec != std::errc() || rest.find_first_not_of("uUlL") != std::string_view::npos)
        return std::nullopt;
      return value;
    }
    if (token.kind != Token::Kind::Word) return std::nullopt;
    if (token.is("defined")) {
      const bool has_bracket = take("(");
      if (at_ >= tokens_.size()) return std::nullopt;
      const auto known = is_defined_macro(std::string(tokens_[at_++].text), macros_, varying_);
      if (has_bracket && !take(")")) return std::nullopt;
      return known ? Number(*known) : std::nullopt;
    }
    return value_of(std::string(token.text));
  }

  Number value_of(const std::string& name) {
    if (name == "__CUDACC__" || name == "__NVCC__" || name == "true") return 1;
    const auto known = is_defined_macro(name, macros_, varying_);
    if (!known) return std::nullopt;
    if (!*known) return 0;
    const auto macro = macros_.find(name);
    if (macro == macros_.end() || macro->second.is_function || depth_ > kDeepestMacros)
      return std::nullopt;
    return Condition(macro->second.body, macros_, varying_, depth_ + 16).value();
  }

  const std::map<std::string, Macro>& macros_;
  const std::set<std::string>& varying_;
  lex::Tokens tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::optional<std::int64_t> value_of_condition(std::string_view text,
                                               const std::map<std::string, Macro>& macros,
                                               const std::set<std::string>& varying) {
  return Condition(text, macros, varying).value();
}

}  // namespace kw::import
