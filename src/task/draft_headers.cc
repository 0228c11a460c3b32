// Tables of standard headers and of limits.
// SPDX-License-Identifier: Apache-2.0
#include "task/draft_headers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/contains.h"
#include "lex/directives.h"
#include "task/c/function.h"
#include "task/c/types.h"

namespace kw::task {
namespace {

constexpr auto kStandardHeaders = std::to_array<std::string_view>(
    {"assert.h",  "ctype.h",     "errno.h",   "float.h",          "inttypes.h",
     "limits.h",  "math.h",      "stdbool.h", "stddef.h",         "stdint.h",
     "stdio.h",   "stdlib.h",    "string.h",  "algorithm",        "array",
     "bit",       "cassert",     "cctype",    "cerrno",           "cfloat",
     "cinttypes", "climits",     "cmath",     "complex",          "cstddef",
     "cstdint",   "cstdio",      "cstdlib",   "cstring",          "functional",
     "iterator",  "limits",      "memory",    "numbers",          "numeric",
     "optional",  "type_traits", "tuple",     "utility",          "valarray",
     "vector",    "bitset",      "concepts",  "initializer_list", "span"});

/// What kernels can include; see src/compile/device_headers.cc.
constexpr auto kDeviceHeaders = std::to_array<std::string_view>(
    {"assert.h", "cassert", "cfloat", "climits", "cmath", "cstddef", "cstdint", "float.h",
     "limits.h", "math.h", "stddef.h", "stdint.h"});

constexpr auto kRealConstants = std::to_array<std::string_view>(
    {"FLT_MAX",     "FLT_MIN",      "FLT_EPSILON", "FLT_TRUE_MIN", "DBL_MAX",      "DBL_MIN",
     "DBL_EPSILON", "DBL_TRUE_MIN", "LDBL_MAX",    "LDBL_MIN",     "LDBL_EPSILON", "INFINITY",
     "NAN",         "HUGE_VAL",     "HUGE_VALF",   "M_E",          "M_LOG2E",      "M_LOG10E",
     "M_LN2",       "M_LN10",       "M_PI",        "M_PI_2",       "M_PI_4",       "M_1_PI",
     "M_2_PI",      "M_2_SQRTPI",   "M_SQRT2",     "M_SQRT1_2"});

bool is_token_at(const std::vector<lex::Token>& tokens, std::size_t i, std::string_view text) {
  return i < tokens.size() && tokens[i].is(text);
}

/// Templates of the library beside which a template of the same name would be ambiguous: what the
/// code calls its own functions, which the reference has as templates.
constexpr auto kTemplates = std::to_array<std::string_view>(
    {"abs",      "accumulate", "clamp", "copy", "count",  "distance", "equal",
     "exchange", "fill",       "find",  "gcd",  "lcm",    "lerp",     "max",
     "merge",    "midpoint",   "min",   "move", "reduce", "remove",   "rotate",
     "search",   "reverse",    "size",  "sort", "swap",   "transform"});

/// `using namespace std;` and `using std::NAME;` outside of functions.
std::string using_lines(std::string_view source) {
  const auto tokens = lex::tokenize(source);
  const std::vector<lex::Token>& all = tokens;
  const bool is_clear = std::ranges::none_of(find_functions(all), [](const CFunction& function) {
    return contains(kTemplates, function.name);
  });
  std::string text;
  for (std::size_t i = 0; i + 3 < all.size(); ++i) {
    if (is_token_at(all, i, "{")) i = std::min(lex::find_closing(all, i), all.size() - 1);
    if (!is_token_at(all, i, "using")) continue;
    if (is_token_at(all, i + 1, "namespace") && is_token_at(all, i + 2, "std") &&
        is_token_at(all, i + 3, ";"))
      text += is_clear ? "using namespace std;\n" : "";
    else if (is_token_at(all, i + 1, "std") && is_token_at(all, i + 2, "::") &&
             is_token_at(all, i + 4, ";"))
      text += fmt::format("using std::{};\n", all[i + 3].text);
  }
  return text;
}

}  // namespace

std::string standard_names(std::string_view source, std::string_view already, CodeUse use) {
  std::string text;
  std::set<std::string> seen;
  const lex::Tokens all = lex::lex(source);
  for (const lex::Directive& directive : lex::directives_of(all)) {
    if (directive.name() != "include" || directive.tokens.size() < 2) continue;
    std::string_view header = directive.tokens[1].text;
    if (!header.starts_with('<') || !header.ends_with('>')) continue;
    const std::string line = fmt::format("#include {}\n", header);
    header = header.substr(1, header.size() - 2);
    const bool is_there = use == CodeUse::Device ? contains(kDeviceHeaders, header)
                                                 : contains(kStandardHeaders, header);
    if (is_there && !already.contains(line) && seen.insert(line).second) text += line;
  }
  return use == CodeUse::Device ? text : text + using_lines(source);
}

bool is_real_constant(std::string_view word) { return contains(kRealConstants, word); }

std::optional<LimitCall> limit_call_at(const std::vector<lex::Token>& tokens, std::size_t i) {
  if (i > 0 && (is_token_at(tokens, i - 1, "::") || is_token_at(tokens, i - 1, ".")))
    return std::nullopt;
  if (is_token_at(tokens, i, "std") && is_token_at(tokens, i + 1, "::")) i += 2;
  if (!is_token_at(tokens, i, "numeric_limits") || !is_token_at(tokens, i + 1, "<"))
    return std::nullopt;
  std::vector<std::string> words;
  for (i += 2; i < tokens.size() && tokens[i].kind == lex::Token::Kind::Word; ++i)
    words.emplace_back(tokens[i].text);
  const auto dtype = dtype_of(words);
  if (!dtype || i + 4 >= tokens.size() || !is_token_at(tokens, i, ">") ||
      !is_token_at(tokens, i + 1, "::") || !is_token_at(tokens, i + 3, "(") ||
      !is_token_at(tokens, i + 4, ")"))
    return std::nullopt;
  return LimitCall{*dtype, tokens[i + 2].text, i + 5};
}

std::string limit_constant(const LimitCall& call) {
  const std::string_view member = call.member;
  const bool is_float = call.dtype == Dtype::F32;
  if (is_float || call.dtype == Dtype::F64) {
    if (member == "max") return is_float ? "3.402823466e+38f" : "1.7976931348623157e+308";
    if (member == "lowest") return is_float ? "(-3.402823466e+38f)" : "(-1.7976931348623157e+308)";
    if (member == "min") return is_float ? "1.175494351e-38f" : "2.2250738585072014e-308";
    if (member == "epsilon") return is_float ? "1.192092896e-07f" : "2.2204460492503131e-16";
    if (member == "infinity") return "INFINITY";
    if (member == "quiet_NaN") return "NAN";
    return {};
  }
  const DtypeRow row = row_of(call.dtype);
  if (row.numbers == Numbers::Real) return {};
  const char* const suffix = row.numbers == Numbers::Unsigned && row.bytes >= 4
                                 ? (row.bytes == 8 ? "ull" : "u")
                                 : (row.bytes == 8 ? "ll" : "");
  if (member == "max") return fmt::format("{}{}", row.highest, suffix);
  if (member != "min" && member != "lowest") return {};
  // The least number is written as a difference, because its digits alone are out of range.
  return row.lowest == 0 ? "0" : fmt::format("(-{}{} - 1)", row.highest, suffix);
}

}  // namespace kw::task
