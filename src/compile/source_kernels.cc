// Reads the tokens of a source, aware of namespaces.
// SPDX-License-Identifier: Apache-2.0
#include "compile/source_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "base/characters.h"
#include "base/contains.h"
#include "base/text.h"
#include "lex/lexer.h"

namespace kw::compile {
namespace {

constexpr std::size_t kMostTold = 6;

/// Most characters of a kernel's name with its namespaces, since hostile text may nest thousands of
/// namespaces.
constexpr std::size_t kLongestName = 1024;

/// The name of the function after the `__global__` at token `at`: the first word before a ( that is
/// no attribute. Moves `at` to the last token that was read.
std::optional<std::string> name_of_kernel(const lex::Tokens& tokens, std::size_t& at) {
  std::string_view last;
  for (++at; at < tokens.size() && !tokens[at].is(";") && !tokens[at].is("{"); ++at) {
    const lex::Token& token = tokens[at];
    if (!token.is("(") || last.empty()) {
      last = token.kind == lex::Token::Kind::Word ? token.text : std::string_view();
      continue;
    }
    if (!last.starts_with("__")) return std::string(last);
    at = lex::find_closing(tokens, at);
    last = {};
  }
  return std::nullopt;
}

std::string last_name(const std::string& name) {
  const auto colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

/// Adds " (did you mean 'x'?)" to the message, or a list of the kernels that the source has, and
/// the same to what the diagnostic is about.
void tell_what_there_is(const std::string& name, const std::vector<std::string>& kernels,
                        Diagnostic& missing) {
  if (kernels.empty()) {
    missing.message += "; the source has no __global__ function";
    return;
  }
  const auto suggest = [&](const std::string& kernel) {
    missing.message += fmt::format(" (did you mean '{}'?)", kernel);
    missing.about += " -> " + kernel;
  };
  for (const std::string& kernel : kernels)
    if (kernel != name && last_name(kernel) == last_name(name)) return suggest(kernel);
  if (const auto near = nearest(name, kernels)) return suggest(*near);
  std::vector<std::string> told(
      kernels.begin(), kernels.begin() + static_cast<int>(std::min(kernels.size(), kMostTold)));
  if (kernels.size() > kMostTold) told.emplace_back("…");
  missing.message += fmt::format("; it has {}", fmt::join(told, ", "));
  missing.about += fmt::format(": {}", fmt::join(told, ", "));
}

/// Offset of the kernel's name in the plan line that launches it.
std::optional<std::size_t> place_in_plan(std::string_view source, std::string_view name) {
  constexpr std::string_view kWord = "launch";
  for (std::size_t at = source.find(kWord); at != std::string_view::npos;
       at = source.find(kWord, at + 1)) {
    const std::size_t begin = source.find_first_not_of(" \t", at + kWord.size());
    if (begin == std::string_view::npos || !source.substr(begin).starts_with(name)) continue;
    const std::size_t end = begin + name.size();
    if (begin > at + kWord.size() && (end == source.size() || !is_name_char(source[end])))
      return begin;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> source_kernels(std::string_view source) {
  std::vector<std::string> kernels;
  std::unordered_set<std::string> seen;
  std::string scope;                // the open namespaces, each followed by ::
  std::vector<std::size_t> braces;  // for each open brace, the length of `scope` before it
  std::string opening;
  bool is_namespace = false;
  const lex::Tokens tokens = lex::significant(source);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const lex::Token& token = tokens[i];
    if (token.kind == lex::Token::Kind::Text) continue;
    if (token.is("namespace")) {
      is_namespace = true;
      opening.clear();
    } else if (token.is("{")) {
      braces.push_back(scope.size());
      if (is_namespace && !opening.empty()) scope += opening + "::";
      is_namespace = false;
    } else if (token.is("}")) {
      if (braces.empty()) continue;
      scope.resize(braces.back());
      braces.pop_back();
    } else if (token.is(";") || token.is("=")) {
      is_namespace = false;
    } else if (is_namespace) {
      opening += token.text;
    } else if (token.is("__global__")) {
      const auto name = name_of_kernel(tokens, i);
      if (!name || scope.size() + name->size() > kLongestName) continue;
      std::string full = scope + *name;
      if (seen.insert(full).second) kernels.push_back(std::move(full));
    }
  }
  return kernels;
}

Diagnostic missing_kernel(const std::string& kernel, const BuildUnit& unit, std::string_view why) {
  const std::string name = kernel.substr(0, kernel.find('<'));
  Diagnostic missing;
  missing.severity = Diagnostic::Severity::Error;
  missing.message = "the plan launches '" + kernel + "', which is no kernel of this source";
  missing.about = kernel;
  const auto main = std::ranges::find(unit.files, unit.main_file, &SourceFile::name);
  if (main != unit.files.end()) {
    const auto kernels = source_kernels(main->text);
    if (contains(kernels, name)) {
      missing.message += " (extern \"C\" __global__, or a template that these arguments fit)";
      missing.about += " -> " + name;
    } else {
      tell_what_there_is(name, kernels, missing);
    }
    if (const auto at = place_in_plan(main->text, name)) {
      const Position place = position_of(main->text, *at);
      missing.file = main->name;
      missing.line = place.line;
      missing.column = place.column;
    }
  }
  if (!why.empty()) missing.message += fmt::format(": {}", why);
  return missing;
}

}  // namespace kw::compile
