// Separates a source's includes from its code, and replaces C linkage by C++ linkage.
// SPDX-License-Identifier: Apache-2.0
#include "deliver/isolate.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "task/code.h"
#include "task/plan_text.h"
#include "task/source_parts.h"

namespace kw::deliver {
namespace {

std::string word_of(std::string_view line) {
  const auto text = trim(line);
  if (!text.starts_with('#')) return {};
  return std::string(task::leading_word(trim(text.substr(1))));
}

/// Splits a source with code before an #include: moves all includes to the front. An include inside
/// an #if is kept if its file exists.
Isolated hoisted(std::string_view source) {
  Isolated parts;
  int depth = 0;
  const auto lines = split_lines(source);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (const auto directive = task::directive_of(lines[i])) {
      i += task::join_directive(source, lines, i, *directive).lines - 1;
      continue;
    }
    const std::string word = word_of(lines[i]);
    depth += word.starts_with("if") ? 1 : word == "endif" ? -1 : 0;
    if (word != "include") {
      parts.code += std::string(lines[i]) + "\n";
      continue;
    }
    const auto text = trim(lines[i]);
    const auto file = trim(text.substr(text.find("include") + 7));
    if (depth == 0)
      parts.includes += std::string(text) + "\n";
    else
      parts.includes +=
          "#if __has_include(" + std::string(file) + ")\n" + std::string(text) + "\n#endif\n";
    parts.code += "\n";
  }
  return parts;
}

/// Macros that the text's preprocessor directives define or test. The user's program may define
/// macros of the same names, which must not affect the text. Leaves out names that begin with an
/// underscore, because they belong to compilers and libraries.
std::set<std::string> macros_of(std::string_view text) {
  std::set<std::string> names;
  for (const auto line : split_lines(text)) {
    const std::string word = word_of(line);
    if (word.empty()) continue;
    std::string_view rest = trim(trim(trim(line).substr(1)).substr(word.size()));
    if (word == "define" || word == "undef") names.emplace(task::leading_word(rest));
    if (word == "ifdef" || word == "ifndef") names.emplace(task::leading_word(rest));
    if (word != "if" && word != "elif") continue;
    for (std::size_t found; (found = rest.find("defined")) != std::string_view::npos;) {
      rest = trim(rest.substr(found + 7));
      if (rest.starts_with("(")) rest = trim(rest.substr(1));
      names.emplace(task::leading_word(rest));
    }
  }
  std::erase_if(names, [](const std::string& name) { return name.empty() || name[0] == '_'; });
  return names;
}

}  // namespace

Result<Isolated> isolate(std::string_view source, task::CandidateHeader header,
                         const std::string& function) {
  // Knobs have fixed values in an export, so no part of the source varies with them.
  header.knobs.clear();
  header.derived.clear();
  Isolated parts;
  if (auto cut = task::cut_source(source, header)) {
    parts = {std::move(cut->includes), std::move(cut->code), {}, {}};
  } else {
    parts = hoisted(source);
  }
  parts.macros_before = macros_of(parts.includes);
  for (const std::string& name : macros_of(parts.code))
    if (!parts.macros_before.contains(name)) parts.macros.insert(name);
  parts.code = task::with_cpp_linkage(parts.code, function);
  return parts;
}

}  // namespace kw::deliver
