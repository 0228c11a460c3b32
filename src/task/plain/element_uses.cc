// Looks at what stands around each use of a number.
// SPDX-License-Identifier: Apache-2.0
#include "task/plain/element_uses.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "task/plain/changes.h"
#include "task/plain/name_uses.h"

namespace kw::task {
namespace {

/// The parenthesis of the call of which the use is a whole argument, and the argument's number.
std::optional<std::pair<std::size_t, std::size_t>> call_of(const SiteReader& reader,
                                                           std::size_t begin, std::size_t use) {
  if (!reader.at(use + 1, ",") && !reader.at(use + 1, ")")) return std::nullopt;
  if (!reader.at(use - 1, ",") && !reader.at(use - 1, "(")) return std::nullopt;
  std::size_t depth = 0, commas = 0;
  for (std::size_t i = use; i-- > begin;) {
    if (reader.at(i, ")") || reader.at(i, "]") || reader.at(i, "}")) ++depth;
    if (depth == 0 && reader.at(i, ";")) return std::nullopt;
    if (depth == 0 && reader.at(i, ",")) ++commas;
    if (!reader.at(i, "(") && !reader.at(i, "[") && !reader.at(i, "{")) continue;
    if (depth-- > 0) continue;
    const bool is_call = i > begin && reader.at(i, "(") && reader.is_word(i - 1);
    return is_call ? std::optional(std::pair(i, commas)) : std::nullopt;
  }
  return std::nullopt;
}

/// Whether a call may change the number that it is given.
bool may_change(const SiteReader& reader, std::size_t open, std::size_t argument) {
  const std::string_view called = reader.word(open - 1);
  for (const std::string_view changing : {"swap", "exchange", "ref", "tie", "modf", "frexp"})
    if (called == changing) return true;
  for (const CFunction& helper : find_functions(reader.tokens())) {
    if (helper.name != called) continue;
    const auto parameters = reader.parts(reader.list_of(helper));
    if (argument >= parameters.size()) return true;
    bool is_reference = false, is_const = false;
    for (std::size_t i = parameters[argument].begin; i < parameters[argument].end; ++i) {
      is_reference = is_reference || reader.at(i, "&") || reader.at(i, "&&");
      is_const = is_const || reader.at(i, "const");
    }
    if (is_reference && !is_const) return true;
  }
  return false;
}

}  // namespace

bool is_passed_by_reference(const SiteReader& reader, TokenRange code, std::size_t use) {
  const auto call = call_of(reader, code.begin, use);
  return call && may_change(reader, call->first, call->second);
}

Result<> use_element(const SiteReader& reader, TokenRange code, const std::string& name,
                     std::size_t declared, TokenEdits& edits) {
  const std::string shown = sanitise(name, 60);
  if (const std::string macro = hiding_macro(reader, code, name); !macro.empty())
    return reader.refuse(declared, macro,
                         fmt::format("'{}' uses '{}' in a way that the function's text does not "
                                     "show; write what it stands for: `{}[0] += x` with a "
                                     "parameter `double* {}`",
                                     sanitise(macro, 60), shown, shown, shown));
  const NameUses uses = find_name_uses(reader, code, name);
  if (uses.unclear)
    return reader.refuse(*uses.unclear, name,
                         fmt::format("this '{}' may be another one than the function is given; "
                                     "give the inner one a name of its own, such as `double "
                                     "{}_here = 0;`",
                                     shown, shown));
  const auto lambda = find_lambda(reader, code);
  if (lambda && !uses.tokens.empty())
    return reader.refuse(*lambda, "lambda",
                         fmt::format("'{}' cannot become a pointer beside a lambda, which may keep "
                                     "a copy of it; write a parameter `double* {}`, and `{}[0]` "
                                     "for each use",
                                     shown, shown, shown));
  for (const std::size_t use : uses.tokens) {
    const bool is_bound = reader.at(use - 1, "=") && reader.is_word(use - 2) &&
                          (reader.at(use - 3, "&") || reader.at(use - 3, "&&"));
    const auto call = call_of(reader, code.begin, use);
    const bool is_type_asked = call && reader.at(call->first - 1, "decltype");
    if (is_bound || is_type_asked || (call && may_change(reader, call->first, call->second)))
      return reader.refuse(
          use, name,
          fmt::format("'{0}' is passed on as a reference here, so that the text does not show what "
                      "becomes of it; use a number of this function: `double s = {0}; add(s, x); "
                      "{0} = s;`",
                      shown));
    // A pointer to the number is the pointer that the function gets.
    const bool is_address = is_address_taken(reader, use);
    if (is_address) edits.drop({use - 1, use});
    edits.put(use, is_address ? name : name + "[0]");
  }
  return {};
}

}  // namespace kw::task
