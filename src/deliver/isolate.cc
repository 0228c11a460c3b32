// Separates a source's includes from its code, and replaces C linkage by C++ linkage.
// SPDX-License-Identifier: Apache-2.0
#include "deliver/isolate.h"

#include "base/text.h"
#include "lex/directives.h"
#include "task/code.h"
#include "task/plan_text.h"
#include "task/source_parts.h"

namespace kw::deliver {
namespace {

/// Splits a source with code before an #include: moves all includes to the front. An include inside
/// an #if is kept if its file exists.
Isolated hoisted(std::string_view source) {
  Isolated parts;
  const lex::Tokens all = lex::lex(source);
  const auto directives = lex::directives_of(all);
  auto next = directives.begin();
  int depth = 0;
  std::size_t gone_to = 0;  // end of the last include
  const auto lines = split_lines(source);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (const auto directive = task::directive_of(lines[i])) {
      i += task::join_directive(source, lines, i, *directive).lines - 1;
      continue;
    }
    const auto begin = static_cast<std::size_t>(lines[i].data() - source.data());
    const std::size_t end = begin + lines[i].size();
    bool is_include = begin < gone_to;
    for (; next != directives.end() && all[next->first].offset < end; ++next) {
      depth += next->opens_group() ? 1 : next->name() == "endif" ? -1 : 0;
      if (next->name() != "include") continue;
      is_include = true;
      gone_to = all[next->last - 1].end;
      const std::string text(trim(source.substr(begin, gone_to - begin)));
      parts.includes += depth == 0
                            ? text + "\n"
                            : "#if __has_include(" + next->text() + ")\n" + text + "\n#endif\n";
    }
    parts.code += (is_include ? "" : std::string(lines[i])) + "\n";
  }
  return parts;
}

/// Macros that the text's preprocessor directives define or test. The user's program may define
/// macros of the same names, which must not affect the text. Leaves out names that begin with an
/// underscore, because they belong to compilers and libraries.
std::set<std::string> macros_of(std::string_view text) {
  std::set<std::string> names;
  const lex::Tokens all = lex::lex(text);
  for (const lex::Directive& directive : lex::directives_of(all)) {
    const std::string_view name = directive.name();
    const auto& tokens = directive.tokens;
    if (name == "define" || name == "undef" || name == "ifdef" || name == "ifndef")
      names.emplace(directive.word());
    if (name != "if" && name != "elif") continue;
    for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
      if (!tokens[i].is("defined")) continue;
      const std::size_t at = tokens[i + 1].is("(") ? i + 2 : i + 1;
      if (at < tokens.size()) names.emplace(tokens[at].text);
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
