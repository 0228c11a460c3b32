// Applies the forms one after the other, each to what the one before it left.
// SPDX-License-Identifier: Apache-2.0
#include "task/plain/plain.h"

#include <algorithm>
#include <array>
#include <utility>

#include "task/c/function.h"
#include "task/plain/conditions.h"
#include "task/plain/forms.h"

namespace kw::task {
namespace {

/// The forms in the order in which they are rewritten.
constexpr auto kForms = std::to_array<PlainForm>({
    refuse_late_macros,
    plain_index_macros,
    plain_templates,
    plain_defaults,
    plain_containers,
    plain_structs,
    plain_containers,  // of members
    plain_structs,     // in containers and behind pointers of members
    plain_references,
    plain_results,
    plain_row_pointers,
    plain_rows,  // needs all other parameters plain
    plain_globals,
    leave_out_unused,
});

/// The function to draft from; nothing if it cannot be told which, as parse_c_function() will say.
std::optional<PlainSite> site_of(std::string_view source, std::string_view file,
                                 const std::vector<lex::Token>& tokens, std::string_view wanted) {
  const auto functions = find_functions(tokens);
  const auto is_static = [&](const CFunction& function) {
    for (std::size_t i = function.begin; i < function.open && !tokens[i].is("("); ++i)
      if (tokens[i].is("static")) return true;
    return false;
  };
  const CFunction* found = nullptr;
  for (const CFunction& function : functions) {
    if (wanted.empty() ? is_static(function) : function.name != wanted) continue;
    if (found) return std::nullopt;
    found = &function;
  }
  if (!found) return std::nullopt;
  return PlainSite{source, file, tokens, found->begin, found->open, found->close};
}

}  // namespace

std::string with_edits(std::string_view source, std::vector<PlainEdit> edits) {
  std::ranges::sort(edits, {}, &PlainEdit::begin);
  std::string text;
  std::size_t done = 0;
  for (const PlainEdit& edit : edits) {
    text += source.substr(done, edit.begin - done);
    text += edit.text;
    done = edit.end;
  }
  return text += source.substr(done);
}

Result<PlainSource> plain_source(std::string_view source, std::string_view file,
                                 std::string_view wanted) {
  DecidedSource decided = with_decided_conditions(source);
  PlainSource plain{std::move(decided.source), std::move(decided.notes)};
  for (const PlainForm form : kForms) {
    const auto tokens = lex::tokenize(plain.source);
    const auto site = site_of(plain.source, file, tokens, wanted);
    if (!site) break;
    PlainStep step = KW_TRY(form(*site));
    if (step.edits.empty()) continue;
    plain.source = with_edits(plain.source, std::move(step.edits));
    for (std::string& note : step.notes) plain.notes.push_back(std::move(note));
  }
  return plain;
}

}  // namespace kw::task
