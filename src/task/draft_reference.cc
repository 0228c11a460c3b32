// Rewrites C source token by token, and keeps the text between tokens (comments, layout).
// SPDX-License-Identifier: Apache-2.0
#include "task/draft_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "base/foreign_text.h"
#include "base/text.h"
#include "lex/directives.h"
#include "task/c/threads.h"
#include "task/c/types.h"
#include "task/draft_headers.h"

namespace kw::task {
namespace {

constexpr auto kMath = std::to_array<std::string_view>(
    {"exp",   "exp2",      "expm1",  "log",    "log2",    "log10", "log1p",     "sqrt",
     "cbrt",  "fabs",      "sin",    "cos",    "tan",     "asin",  "acos",      "atan",
     "atan2", "sinh",      "cosh",   "tanh",   "pow",     "fmax",  "fmin",      "floor",
     "ceil",  "round",     "fmod",   "fma",    "hypot",   "erf",   "erfc",      "asinh",
     "acosh", "atanh",     "tgamma", "lgamma", "trunc",   "rint",  "nearbyint", "copysign",
     "fdim",  "remainder", "ldexp",  "lround", "llround", "lrint", "llrint"});

constexpr const char* kView = R"(
// Row-major view of an array whose bounds are known at run time.
template <class T, int Rank>
struct View {
  T* data;
  const std::ptrdiff_t* inner;  // bounds of the dimensions but the first
  auto operator[](std::ptrdiff_t i) const {
    if constexpr (Rank == 1) {
      return data + i;
    } else {
      std::ptrdiff_t stride = 1;
      for (int d = 0; d < Rank - 1; ++d) stride *= inner[d];
      if constexpr (Rank == 2)
        return data + i * stride;
      else
        return View<T, Rank - 1>{data + i * stride, inner + 1};
    }
  }
};
)";

/// Whether a word is a floating-point type, by its own name or by one that the file gives it.
bool is_real_type(std::string_view word, const TypeNames& names) {
  const auto dtype = dtype_of(std::array{std::string(word)}, names);
  return dtype && is_real(*dtype);
}

/// The math function that the word calls, without the suffix of a float; empty: none of them.
std::string_view math_function(std::string_view word) {
  for (const auto name : {word, word.substr(0, word.size() - (word.ends_with('f') ? 1 : 0))})
    if (std::ranges::find(kMath, name) != kMath.end()) return name;
  return {};
}

std::string for_truth(const lex::Token& token, const TypeNames& names) {
  const auto text = token.text;
  if (token.kind == lex::Token::Kind::Word && is_real_type(text, names)) return "Real";
  if (token.kind == lex::Token::Kind::Word && is_real_constant(text))
    return fmt::format("Real({})", text);
  if (const std::string_view number = real_number(token); !number.empty())
    return fmt::format("Real({})", number);
  return std::string(text);
}

/// Writes a function of the source, token by token, and what stands before it in the file.
class CodeWriter {
 public:
  CodeWriter(std::string_view source, const std::vector<lex::Token>& tokens,
             const CFunction& function, const std::vector<std::string>& inputs, CodeUse use)
      : source_(source),
        tokens_(tokens),
        function_(function),
        inputs_(inputs),
        is_truth_(use == CodeUse::Truth),
        functions_(find_functions(tokens)),
        names_(type_names_of(source, tokens)) {}

  bool has_array_of_arrays() const {
    return std::ranges::any_of(function_.parameters,
                               [](const CParameter& p) { return p.bounds.size() > 1; });
  }

  /// The other functions that the function uses.
  std::string helpers() const {
    std::string text;
    for (const CFunction& helper : helpers_of(tokens_, function_)) {
      text += is_truth_ ? "\n" + template_of(helper) : "\n" + pragmas_before(helper);
      text += code(helper.begin, helper.close + 1) + "\n";
    }
    return text;
  }

  /// The function itself, named `name`.
  std::string whole(std::string_view name) const {
    std::vector<std::string> parameters;
    std::string views;
    for (const CParameter& parameter : function_.parameters) {
      parameters.push_back(parameter_text(parameter));
      if (parameter.bounds.size() > 1)
        views += is_truth_ ? view_text(parameter) : array_text(parameter);
    }
    const std::size_t first = tokens_[function_.open].end;
    const std::string lead = views.empty() ? gap(first, tokens_[function_.open + 1].offset)
                                           : fmt::format("\n{}{}", views, lead_behind_views(first));
    return fmt::format("void {}({}) {{{}{}\n}}\n", name, join(parameters, ", "), lead,
                       code(function_.open + 1, function_.close));
  }

  /// The pragmas `omp declare simd` and `omp declare reduction` that stand right before a function.
  /// Others may be one half of a pair.
  std::string pragmas_before(const CFunction& function) const {
    const std::size_t from = function.begin > 0 ? tokens_[function.begin - 1].end : 0;
    const std::string_view before = source_.substr(from, tokens_[function.begin].offset - from);
    const lex::Tokens all = lex::lex(before);
    std::string text;
    for (const lex::Directive& directive : lex::directives_of(all))
      if (const std::string words = directive.text();
          directive.name() == "pragma" &&
          (words.starts_with("omp declare simd") || words.starts_with("omp declare reduction")))
        text += "#pragma " + words + "\n";
    return text;
  }

  /// Whether the code has real types beside that of the tensors, or promises that pointers do not
  /// overlap: neither is left in the reference.
  bool differs_from_truth() const {
    for (const CParameter& parameter : function_.parameters)
      if (!restrict_of(parameter).empty()) return true;
    std::set<Dtype> reals;
    const auto note = [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const auto dtype = dtype_of(std::array{std::string(tokens_[i].text)}, names_);
        if (tokens_[i].kind == lex::Token::Kind::Word && dtype && is_real(*dtype))
          reals.insert(*dtype);
      }
    };
    note(function_.begin, function_.close);
    for (const CFunction& helper : helpers_of(tokens_, function_)) note(helper.begin, helper.close);
    return reals.size() > 1;
  }

 private:
  /// Whether a real type or number stands between the tokens.
  bool has_reals(std::size_t begin, std::size_t end) const {
    const auto is_any = [&](const lex::Token& token) {
      return !real_number(token).empty() ||
             (token.kind == lex::Token::Kind::Word &&
              (is_real_type(token.text, names_) || is_real_constant(token.text)));
    };
    const std::span<const lex::Token> all(tokens_);
    return std::ranges::any_of(all.subspan(begin, end - begin), is_any);
  }

  /// What stands before a helper of the reference. Arguments of real types tell which type Real
  /// is; where there are none, it is the truth's own.
  std::string template_of(const CFunction& helper) const {
    std::size_t parameters = helper.begin;
    while (parameters < helper.open && !tokens_[parameters].is("(")) ++parameters;
    if (has_reals(parameters, helper.open)) return "template <class Real>\n";
    return has_reals(helper.begin, helper.close) ? "template <class Real = double>\n" : "";
  }

  bool is_input(const CParameter& parameter) const {
    return std::ranges::find(inputs_, parameter.name) != inputs_.end();
  }

  std::string gap(std::size_t begin, std::size_t end) const {
    return without_blank_lines(source_.substr(begin, end - begin));
  }

  /// The source from token `begin` up to, but without, token `end`.
  std::string code(std::size_t begin, std::size_t end) const {
    std::string text;
    for (std::size_t i = begin; i < end; ++i) {
      if (i > begin) text += gap(tokens_[i - 1].end, tokens_[i].offset);
      if (const auto limit = is_truth_ ? limit_call_at(tokens_, i) : std::nullopt;
          limit && limit->end <= end && is_real(limit->dtype)) {
        // A line with the type double might round a truth to it; see line_of_double().
        const std::string constant =
            limit->dtype == Dtype::F64 ? limit_constant(*limit) : std::string();
        const std::string call =
            constant.empty() ? lex::source_text(tokens_, i, limit->end) : constant;
        text += fmt::format("Real({})", call);  // of the code's type, as the code has it
        i = limit->end - 1;
        continue;
      }
      const bool is_qualified = i > 0 && (tokens_[i - 1].is("::") || tokens_[i - 1].is("."));
      if (tokens_[i].is("restrict"))
        text += "__restrict";
      else if (is_truth_ && !is_qualified)
        text += is_call(i) ? called(tokens_[i].text) : for_truth(tokens_[i], names_);
      else
        text += source_.substr(tokens_[i].offset, tokens_[i].end - tokens_[i].offset);
    }
    return text;
  }

  /// Whether the token is a word in front of a parenthesis, as a function's name is.
  bool is_call(std::size_t i) const {
    return tokens_[i].kind == lex::Token::Kind::Word && i + 1 < tokens_.size() &&
           tokens_[i + 1].is("(") && !math_function(tokens_[i].text).empty();
  }

  /// The name by which the truth calls a math function. A function of the file that has the name
  /// of one gets another name, since beside its template the library's would be chosen.
  std::string called(std::string_view word) const {
    const bool is_own = std::ranges::any_of(
        functions_, [&](const CFunction& function) { return function.name == word; });
    return is_own ? fmt::format("own_{}", word) : fmt::format("std::{}", math_function(word));
  }

  std::string c_type_of(Dtype dtype) const {
    return is_truth_ && is_real(dtype) ? "Real" : std::string(row_of(dtype).c_type);
  }

  /// " __restrict" where the code says so of the parameter; the reference needs no such promise.
  std::string restrict_of(const CParameter& parameter) const {
    bool is_promised = false;
    for (std::size_t i = function_.begin; i < function_.open; ++i) {
      if (tokens_[i].is(",") || tokens_[i].is("(")) is_promised = false;
      is_promised = is_promised || tokens_[i].is("restrict") || tokens_[i].is("__restrict") ||
                    tokens_[i].is("__restrict__");
      const bool is_name =
          tokens_[i].is(parameter.name) && (tokens_[i + 1].is(",") || tokens_[i + 1].is(")"));
      if (is_name) return is_promised ? " __restrict" : "";
    }
    return {};
  }

  /// A parameter of the function. An array with several dimensions is passed as `name_data`, and
  /// what is declared from it gets the parameter's own name.
  std::string parameter_text(const CParameter& parameter) const {
    if (!parameter.is_pointer)
      return fmt::format("{} {}", c_type_of(parameter.dtype), parameter.name);
    return fmt::format("{}{}*{} {}{}", is_input(parameter) ? "const " : "",
                       c_type_of(parameter.dtype), is_truth_ ? "" : restrict_of(parameter),
                       parameter.name, parameter.bounds.size() > 1 ? "_data" : "");
  }

  std::string view_text(const CParameter& parameter) const {
    std::vector<std::string> inner;
    for (std::size_t i = 1; i < parameter.bounds.size(); ++i)
      inner.push_back(fmt::format("static_cast<std::ptrdiff_t>({})", parameter.bounds[i]));
    return fmt::format(
        "  const std::ptrdiff_t {0}_inner[] = {{{1}}};\n"
        "  const View<{2}{3}, {4}> {0}{{{0}_data, {0}_inner}};\n",
        parameter.name, join(inner, ", "), is_input(parameter) ? "const " : "",
        c_type_of(parameter.dtype), parameter.bounds.size());
  }

  /// The array as C has it: a pointer to rows, whose length may be known at run time only.
  std::string array_text(const CParameter& parameter) const {
    std::string inner;
    for (std::size_t i = 1; i < parameter.bounds.size(); ++i)
      inner += fmt::format("[{}]", parameter.bounds[i]);
    const std::string type = (is_input(parameter) ? "const " : "") + c_type_of(parameter.dtype);
    return fmt::format("  {0} (*{1}){2} = ({0} (*){2}){1}_data;\n", type, parameter.name, inner);
  }

  /// What follows the views: pragmas before the first statement, else an indentation.
  std::string lead_behind_views(std::size_t first) const {
    const std::string before = gap(first, tokens_[function_.open + 1].offset);
    const std::size_t line = before.find('\n');
    return is_truth_ || line == std::string::npos ? "  " : before.substr(line + 1);
  }

  std::string_view source_;
  const std::vector<lex::Token>& tokens_;
  const CFunction& function_;
  const std::vector<std::string>& inputs_;
  const bool is_truth_;
  const std::vector<CFunction> functions_;
  const TypeNames names_;
};

}  // namespace

std::string_view real_number(const lex::Token& token) {
  const std::string_view text = token.text;
  if (token.kind != lex::Token::Kind::Number || text.starts_with("0x") || text.starts_with("0X") ||
      text.find_first_of(".eE") == std::string_view::npos)
    return {};
  const bool has_suffix = text.ends_with('f') || text.ends_with('F');
  return text.substr(0, text.size() - (has_suffix ? 1 : 0));
}

std::string without_blank_lines(std::string_view gap) {
  std::string text;
  const auto lines = split(gap, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool is_inner = i > 0 && i + 1 < lines.size();
    if (is_inner && !lines[i].empty() && trim(lines[i]).empty()) continue;
    if (i > 0) text += '\n';
    text += lines[i];
  }
  return text;
}

std::string macros_of(std::string_view source) {
  /// A group of lines from an `#if` on; its lines are written once it turns out to hold a macro.
  struct Group {
    std::string lines;
    bool is_written = false;
  };
  std::string text;
  std::vector<Group> groups;
  std::map<std::string_view, std::size_t> last;  // definition of each macro
  const lex::Tokens all = lex::lex(source);
  const auto directives = lex::directives_of(all);
  for (std::size_t i = 0; i < directives.size(); ++i)
    if (directives[i].name() == "define") last[directives[i].word()] = i;
  for (std::size_t i = 0; i < directives.size(); ++i) {
    const lex::Directive& directive = directives[i];
    const std::string_view name = directive.name();
    const std::size_t begin = all[directive.first].offset;
    const std::string line =
        std::string(trim(source.substr(begin, all[directive.last - 1].end - begin))) + "\n";
    const bool is_again = name == "undef" && last.contains(directive.word()) &&
                          last.find(directive.word())->second > i;
    if (name == "define" || is_again) {
      for (Group& group : groups) {
        text += std::exchange(group.lines, std::string());
        group.is_written = true;
      }
      text += line;
    } else if (directive.opens_group()) {
      groups.push_back({line});
    } else if (!groups.empty() && (name.starts_with("el") || name == "endif")) {
      (groups.back().is_written ? text : groups.back().lines) += line;
      if (name == "endif") groups.pop_back();
    }
  }
  return text;
}

std::string typedefs_text(const std::vector<lex::Token>& tokens, CodeUse use) {
  std::string text;
  const TypeNames names = typedefs_of(tokens);
  for (const auto& [name, words] : names) {
    const auto dtype = dtype_of(words, names);
    // A header declares the names of <stdint.h>, perhaps by another type of the same width.
    if (!dtype || dtype_of(std::array{name})) continue;
    if (use == CodeUse::Truth && is_real(*dtype)) continue;
    // Pointers to elements must have the type of the parameters, which draft_kernel.cc names
    // without typedefs.
    const DtypeRow row = row_of(*dtype);
    text +=
        fmt::format("typedef {} {};\n", use == CodeUse::Device ? row.plain_type : row.c_type, name);
  }
  return text;
}

std::string draft_reference(std::string_view source, const std::vector<lex::Token>& tokens,
                            const CFunction& function, const std::vector<std::string>& inputs) {
  const CodeWriter writer(source, tokens, function, inputs, CodeUse::Truth);
  std::string text = fmt::format("// The truth of {}, drafted from a C function.\n", function.name);
  text +=
      "#include <stdint.h>\n\n#include <cmath>\n#include <cstddef>\n#include <cstdlib>\n#include "
      "<cstring>\n";
  text += standard_names(source, text, CodeUse::Truth);
  text += macros_of(source) + typedefs_text(tokens, CodeUse::Truth);
  if (writer.has_array_of_arrays()) text += kView;
  return text + writer.helpers() + "\ntemplate <class Real>\n" + writer.whole("reference");
}

std::string draft_own_code(std::string_view source, std::string_view file, std::string_view wanted,
                           const std::vector<std::string>& inputs) {
  const std::string with = with_threads(source);
  const lex::Tokens spelled = lex::tokenize(with);
  const std::vector<lex::Token>& tokens = spelled;
  const auto function = parse_c_function(with, file, tokens, wanted);
  if (!function) return {};  // where pragmas stand in places that are not read here
  const CodeWriter writer(with, tokens, *function, inputs, CodeUse::Own);
  const std::string code = writer.helpers() + "\n" + writer.pragmas_before(*function) +
                           "extern \"C\" " + writer.whole(function->name);
  const std::string macros = macros_of(with);
  if (!has_thread_pragmas(macros + code) && !writer.differs_from_truth()) return {};
  std::string text =
      fmt::format("// The code of {} as it was given, with its own types and pragmas.\n",
                  sanitise_line(file, 200));
  text += "#include <math.h>\n#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n";
  const auto is_of_openmp = [](const lex::Token& token) { return token.text.starts_with("omp_"); };
  if (std::ranges::any_of(tokens, is_of_openmp)) text += "#include <omp.h>\n";
  text += standard_names(with, text, CodeUse::Own);
  return text + macros + typedefs_text(tokens, CodeUse::Own) + code;
}

}  // namespace kw::task
