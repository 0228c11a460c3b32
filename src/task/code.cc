// Finds function definitions by their brackets.
// SPDX-License-Identifier: Apache-2.0
#include "task/code.h"

#include <algorithm>
#include <string>

#include "lex/lexer.h"

namespace kw::task {
std::vector<std::size_t> parameters_of(std::string_view source, std::string_view name) {
  const auto tokens = lex::tokenize(source);
  std::vector<std::size_t> counts;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].is("{")) {
      // Braces of `extern "C" { … }` are entered, because functions may be defined inside.
      const bool is_linkage = i >= 2 && tokens[i - 2].is("extern");
      if (!is_linkage) i = lex::find_closing(tokens, i);
      continue;
    }
    if (!tokens[i].is(name) || !tokens[i + 1].is("(")) continue;
    const auto close = lex::find_closing(tokens, i + 1);
    std::size_t count = close > i + 2 ? 1 : 0;
    for (std::size_t at = i + 2, depth = 0; at < close; ++at) {
      if (tokens[at].is("(")) ++depth;
      if (tokens[at].is(")")) --depth;
      if (tokens[at].is(",") && depth == 0) ++count;
    }
    if (close + 1 < tokens.size() && tokens[close + 1].is("{")) counts.push_back(count);
    i = std::min(close, tokens.size() - 1);
  }
  return counts;
}

namespace {

enum class Owner { Nobody, Source, Other };

/// One declaration: its half-open range of tokens, and whether this source or another one defines
/// the declared name.
struct Declared {
  std::size_t begin = 0;
  std::size_t end = 0;
  Owner owner = Owner::Nobody;
};

/// Reads the declaration at tokens[i]. The owner stays Nobody for a type.
Declared read_declaration(const std::vector<lex::Token>& tokens, std::size_t i, std::size_t end,
                          std::string_view source, std::string_view function) {
  Declared d{i, end, Owner::Nobody};
  const bool is_type = tokens[i].is("typedef") || tokens[i].is("using") || tokens[i].is("struct") ||
                       tokens[i].is("enum") || tokens[i].is("union");
  std::string_view name;
  bool is_defined = false;
  std::size_t k = i;
  for (; k < end && !tokens[k].is(";"); ++k) {
    if (tokens[k].is("(") && name.empty() && k > i) name = tokens[k - 1].text;
    const bool has_body = tokens[k].is("{") && !name.empty();
    const bool is_open = tokens[k].is("(") || tokens[k].is("[") || tokens[k].is("{");
    if (is_open) k = std::min(lex::find_closing(tokens, k), end - 1);
    if (!has_body) continue;
    is_defined = true;
    break;
  }
  d.end = std::min(k + 1, end);
  const bool is_function = !name.empty();
  if (is_type && !is_function) return d;
  const bool is_own = is_function ? is_defined || name == function || defines_function(source, name)
                                  : !tokens[i].is("extern");
  d.owner = is_own ? Owner::Source : Owner::Other;
  return d;
}

std::vector<Declared> declarations_of(const std::vector<lex::Token>& tokens, std::size_t begin,
                                      std::size_t end, std::string_view source,
                                      std::string_view function) {
  std::vector<Declared> all;
  while (begin < end) {
    all.push_back(read_declaration(tokens, begin, end, source, function));
    begin = std::max(all.back().end, begin + 1);
  }
  return all;
}

}  // namespace

std::string with_cpp_linkage(std::string_view source, std::string_view function) {
  const auto tokens = lex::tokenize(source);
  std::string out;
  std::size_t at = 0;
  const auto copy_to = [&](std::size_t offset) {
    out += source.substr(at, offset - at);
    at = offset;
  };
  const auto use_cpp = [&](const lex::Token& linkage) {
    copy_to(linkage.offset);
    out += "\"C++\"";
    at = linkage.end;
  };
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    const lex::Token& linkage = tokens[i + 1];
    if (!tokens[i].is("extern") || linkage.text != "\"C\"") continue;
    if (!tokens[i + 2].is("{")) {
      const auto one = read_declaration(tokens, i + 2, tokens.size(), source, function);
      // `extern "C" int x;` declares a variable that another source defines, unless it has a value.
      bool has_name_of_function = false, has_value = false;
      for (std::size_t k = one.begin; k < one.end; ++k) {
        has_name_of_function = has_name_of_function || tokens[k].is("(");
        has_value = has_value || (!has_name_of_function && tokens[k].is("="));
      }
      if (one.owner == Owner::Source && (has_name_of_function || has_value)) use_cpp(linkage);
      continue;
    }
    const std::size_t close = lex::find_closing(tokens, i + 2);
    const auto inside = declarations_of(tokens, i + 3, close, source, function);
    const bool has_others =
        std::ranges::any_of(inside, [](const Declared& d) { return d.owner == Owner::Other; });
    const bool has_own =
        std::ranges::any_of(inside, [](const Declared& d) { return d.owner == Owner::Source; });
    if (has_own && !has_others) use_cpp(linkage);
    if (has_own && has_others)
      for (const Declared& d : inside)
        if (d.owner == Owner::Source) {
          copy_to(tokens[d.begin].offset);
          out += "extern \"C++\" { ";
          copy_to(tokens[d.end - 1].end);
          out += " }";
        }
    i = std::min(close, tokens.size()) - 1;
  }
  return out + std::string(source.substr(at));
}

}  // namespace kw::task
