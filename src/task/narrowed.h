// Adapts the sources of a task to a variant of the task that has fewer arguments.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "task/definition.h"
#include "task/fields.h"

namespace kw::task {

/// The source in a form that `definition` can use. If the task is a variant with its own signature,
/// and the source (C++ or a host launcher) defines the function with the base task's arguments, an
/// overload with the variant's arguments is appended. Device code needs no overload, because launch
/// plans pass arguments by name.
std::string with_overload(const Definition& definition, std::string_view source, Target target);

/// The text of reference.cpp, whose functions are templates over the real type, with overloads
/// appended that take the variant's arguments.
std::string reference_with_overloads(const Definition& definition, std::string_view source);

/// Complains if an argument that the variant leaves out cannot be computed in C from the variant's
/// scalars, fixed dims, integers, + - * and parentheses.
void check_overload(FileReport& report, Position place, const Definition& definition);

/// The Markdown text without the paragraphs that mention, in backticks, an argument or dim that the
/// variant lacks.
std::string without_wider(const Definition& definition, std::string_view markdown);

}  // namespace kw::task
