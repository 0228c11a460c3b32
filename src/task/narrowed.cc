// Writes C++ overloads that take a variant's arguments and call the function of the task on which
// the variant is based.
// SPDX-License-Identifier: Apache-2.0
#include "task/narrowed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/characters.h"
#include "base/contains.h"
#include "base/text.h"
#include "lex/lexer.h"
#include "record/target.h"
#include "task/code.h"
#include "task/header.h"
#include "task/units.h"

namespace kw::task {
namespace {

bool is_narrowed(const Definition& definition) { return !definition.narrowing.wider.empty(); }

bool has_argument(const Task& task, std::string_view name) {
  return std::ranges::find(task.signature, name, &Parameter::name) != task.signature.end();
}

const ScalarSpec* scalar_named(const Definition& definition, std::string_view name) {
  const auto found = std::ranges::find(definition.scalars, name, &ScalarSpec::name);
  return found == definition.scalars.end() ? nullptr : &*found;
}

/// The body of the overload: the variant's fixed dims as constants, and the call of the function
/// with all arguments.
std::string call_of_wider(const Definition& definition, std::string_view function,
                          std::string_view before, const std::vector<std::string>& behind) {
  std::string text;
  for (const auto& [dim, value] : definition.narrowing.fixed)
    text += fmt::format("  [[maybe_unused]] const long long {} = {};\n", dim, value);
  std::vector<std::string> arguments;
  for (const Parameter& parameter : definition.narrowing.wider)
    arguments.push_back(
        has_argument(definition.task, parameter.name)
            ? parameter.name
            : fmt::format("static_cast<{}>({})", argument_type(parameter),
                          scalar_named(definition, parameter.name)->integer.expr.print()));
  arguments.insert(arguments.end(), behind.begin(), behind.end());
  return text + fmt::format("  {}{}({});\n", before, function, join(arguments, ", "));
}

}  // namespace

std::string with_overload(const Definition& definition, std::string_view source, Target target) {
  std::string text(source);
  if (!is_narrowed(definition)) return text;
  std::vector<std::string> behind;
  const std::string& function = definition.task.function;
  std::string returned = "void";
  std::string before;
  std::string parameters = parameter_list(definition.task);
  if (row_of(target).launches_by_plan) {
    const auto header = parse_header(source, "candidate", target);
    if (!header || dialect_of(*header).trust_class != TrustClass::HostLauncher) return text;
    returned = "int", before = "return ";
    behind = workspace_names(*header);
    for (const std::string& name : behind) parameters += ", void* " + name;
    behind.emplace_back("stream");
    parameters += ", cudaStream_t stream";
  }
  if (!contains(parameters_of(source, function), definition.narrowing.wider.size() + behind.size()))
    return text;
  return with_cpp_linkage(text, function) +
         fmt::format("\n// The same for {}.\n{} {}({}) {{\n{}}}\n", definition.task.name, returned,
                     function, parameters, call_of_wider(definition, function, before, behind));
}

std::string reference_with_overloads(const Definition& definition, std::string_view source) {
  std::string text(source);
  if (!is_narrowed(definition)) return text;
  for (const char* function : {"reference", "magnitude"})
    if (contains(parameters_of(source, function), definition.narrowing.wider.size()))
      text += fmt::format("\ntemplate <class Real>\nvoid {}({}) {{\n{}}}\n", function,
                          parameter_list(definition.task, "Real"),
                          call_of_wider(definition, function, "", {}));
  return text;
}

void check_overload(FileReport& report, Position place, const Definition& definition) {
  for (const Parameter& parameter : definition.narrowing.wider) {
    if (has_argument(definition.task, parameter.name) || parameter.is_tensor) continue;
    const Expr& value = scalar_named(definition, parameter.name)->integer.expr;
    const bool is_plain = std::ranges::all_of(value.text(), [](unsigned char c) {
      return std::isalnum(c) != 0 || std::string_view("_ +-*()").contains(static_cast<char>(c));
    });
    bool is_known = is_plain;
    for (const std::string& name : value.names())
      is_known = is_known &&
                 (has_argument(definition.task, name) || definition.narrowing.fixed.contains(name));
    for (const lex::Token& token : lex::tokenize(value.text()))
      is_known = is_known && !is_expression_function(token.text);
    if (!is_known)
      report.add(place, About{fmt::format("{} = {}", parameter.name, value.text())},
                 fmt::format("the argument '{}' is left out, but its value '{}' needs more "
                             "than this variant's scalars, fixed dims and + - *",
                             parameter.name, value.text()));
  }
}

std::string without_wider(const Definition& definition, std::string_view markdown) {
  std::vector<std::string> gone;
  for (const auto& [dim, value] : definition.narrowing.fixed) gone.push_back("`" + dim);
  for (const Parameter& parameter : definition.narrowing.wider)
    if (!has_argument(definition.task, parameter.name)) gone.push_back("`" + parameter.name);
  if (gone.empty()) return std::string(markdown);
  std::string kept;
  for (std::size_t at = 0; at < markdown.size();) {
    const auto end = std::min(markdown.find("\n\n", at), markdown.size());
    const auto paragraph = markdown.substr(at, end - at);
    const bool names_it = std::ranges::any_of(gone, [&](const std::string& name) {
      for (auto found = paragraph.find(name); found != std::string_view::npos;
           found = paragraph.find(name, found + 1)) {
        const auto behind = found + name.size();
        if (behind == paragraph.size() || !is_name_char(paragraph[behind])) return true;
      }
      return paragraph.contains("* " + name.substr(1) + "`");
    });
    if (!names_it) kept += (kept.empty() ? "" : "\n\n") + std::string(paragraph);
    at = end + 2;
  }
  return kept;
}

}  // namespace kw::task
