// Rewrites C source token by token, and keeps the text between tokens (comments, layout).
// SPDX-License-Identifier: Apache-2.0
#include "task/draft_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "lex/directives.h"
#include "task/c/types.h"

namespace kw::task {
namespace {

constexpr auto kMath = std::to_array<std::string_view>(
    {"exp",  "exp2",  "expm1", "log",   "log2", "log10", "log1p", "sqrt", "cbrt", "fabs", "sin",
     "cos",  "tan",   "asin",  "acos",  "atan", "atan2", "sinh",  "cosh", "tanh", "pow",  "fmax",
     "fmin", "floor", "ceil",  "round", "fmod", "fma",   "hypot", "erf",  "erfc"});

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

std::string rewrite(const lex::Token& token, const TypeNames& names) {
  const auto text = token.text;
  if (token.kind == lex::Token::Kind::Word && is_real_type(text, names)) return "Real";
  if (token.is("restrict")) return "__restrict";
  if (token.kind == lex::Token::Kind::Word) {
    const auto stem = text.substr(0, text.size() - (text.ends_with('f') ? 1 : 0));
    for (const auto name : {text, stem})
      if (std::ranges::find(kMath, name) != kMath.end()) return fmt::format("std::{}", name);
  }
  if (const std::string_view number = real_number(token); !number.empty())
    return fmt::format("Real({})", number);
  return std::string(text);
}

/// The source from token `begin` up to, but without, token `end`, with each token rewritten for the
/// reference.
std::string rewrite(std::string_view source, const std::vector<lex::Token>& tokens,
                    const TypeNames& names, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) {
    if (i > begin) {
      const auto gap = tokens[i - 1].end;
      text += source.substr(gap, tokens[i].offset - gap);
    }
    const bool is_qualified = i > 0 && (tokens[i - 1].is("::") || tokens[i - 1].is("."));
    text += is_qualified ? std::string(tokens[i].text) : rewrite(tokens[i], names);
  }
  return text;
}

std::string c_type_of(Dtype dtype) {
  return is_real(dtype) ? "Real" : std::string(row_of(dtype).c_type);
}

/// A parameter of the reference function. An array with several dimensions is passed as
/// `name_data`, and a view of it gets the parameter's own name.
std::string parameter_text(const CParameter& parameter, bool is_input) {
  if (!parameter.is_pointer)
    return fmt::format("{} {}", c_type_of(parameter.dtype), parameter.name);
  return fmt::format("{}{}* {}{}", is_input ? "const " : "", c_type_of(parameter.dtype),
                     parameter.name, parameter.bounds.size() > 1 ? "_data" : "");
}

std::string view_text(const CParameter& parameter, bool is_input) {
  std::vector<std::string> inner;
  for (std::size_t i = 1; i < parameter.bounds.size(); ++i)
    inner.push_back(fmt::format("static_cast<std::ptrdiff_t>({})", parameter.bounds[i]));
  return fmt::format(
      "  const std::ptrdiff_t {0}_inner[] = {{{1}}};\n"
      "  const View<{2}{3}, {4}> {0}{{{0}_data, {0}_inner}};\n",
      parameter.name, join(inner, ", "), is_input ? "const " : "", c_type_of(parameter.dtype),
      parameter.bounds.size());
}

}  // namespace

std::string_view real_number(const lex::Token& token) {
  const std::string_view text = token.text;
  if (token.kind != lex::Token::Kind::Number || text.starts_with("0x") || text.starts_with("0X") ||
      text.find_first_of(".eE") == std::string_view::npos)
    return {};
  const bool has_suffix = text.ends_with('f') || text.ends_with('F');
  return text.substr(0, text.size() - (has_suffix ? 1 : 0));
}

std::string macros_of(std::string_view source) {
  std::string text;
  const lex::Tokens all = lex::lex(source);
  for (const lex::Directive& directive : lex::directives_of(all)) {
    const std::size_t begin = all[directive.first].offset;
    const auto line = trim(source.substr(begin, all[directive.last - 1].end - begin));
    if (directive.name() == "define" && !line.contains('\n')) text += std::string(line) + "\n";
  }
  return text;
}

std::string typedefs_text(const std::vector<lex::Token>& tokens, bool with_real) {
  std::string text;
  const TypeNames names = typedefs_of(tokens);
  for (const auto& [name, words] : names) {
    const auto dtype = dtype_of(words, names);
    // A header declares the names of <stdint.h>, perhaps by another type of the same width.
    if (!dtype || dtype_of(std::array{name})) continue;
    // Pointers to elements must have the type of the parameters: see parameter_text() and, for
    // device code, draft_kernel.cc.
    if (with_real)
      text += fmt::format("typedef {} {};\n", row_of(*dtype).plain_type, name);
    else if (!is_real(*dtype))
      text += fmt::format("typedef {} {};\n", row_of(*dtype).c_type, name);
  }
  return text;
}

std::string draft_reference(std::string_view source, const std::vector<lex::Token>& tokens,
                            const CFunction& function, const std::vector<std::string>& inputs) {
  const auto is_input = [&](const CParameter& p) {
    return std::ranges::find(inputs, p.name) != inputs.end();
  };
  std::string text = fmt::format("// The truth of {}, drafted from a C function.\n", function.name);
  text +=
      "#include <stdint.h>\n\n#include <cmath>\n#include <cstddef>\n#include <cstdlib>\n#include "
      "<cstring>\n";
  text += macros_of(source);
  const TypeNames names = type_names_of(source, tokens);
  text += typedefs_text(tokens, false);
  bool has_view = false;
  std::vector<std::string> parameters;
  std::string views;
  for (const auto& parameter : function.parameters) {
    parameters.push_back(parameter_text(parameter, is_input(parameter)));
    if (parameter.bounds.size() < 2) continue;
    has_view = true;
    views += view_text(parameter, is_input(parameter));
  }
  if (has_view) text += kView;
  for (const auto& helper : find_functions(tokens)) {
    if (helper.begin == function.begin) continue;
    text += fmt::format("\ntemplate <class Real>\n{}\n",
                        rewrite(source, tokens, names, helper.begin, helper.close + 1));
  }
  const auto body = rewrite(source, tokens, names, function.open + 1, function.close);
  const auto lead_from = tokens[function.open].offset + 1;
  const auto lead_to =
      function.open + 1 < tokens.size() ? tokens[function.open + 1].offset : lead_from;
  const std::string lead = views.empty()
                               ? std::string(source.substr(lead_from, lead_to - lead_from))
                               : fmt::format("\n{}  ", views);
  text += fmt::format("\ntemplate <class Real>\nvoid reference({}) {{{}{}\n}}\n",
                      join(parameters, ", "), lead, body);
  return text;
}

}  // namespace kw::task
