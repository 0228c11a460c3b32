// Adapts sources of a task for a variant of that task which has fewer arguments.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "task/definition.h"
#include "task/fields.h"

namespace kw::task {

/// The source as the task `definition` can use it. Where the task is a variant with a signature of
/// its own and the source (C++ or a host launcher) defines the function with the other task's
/// arguments, an overload with the variant's arguments is added behind it. Device code needs no
/// overload, because launch plans pass arguments by name.
std::string with_overload(const Definition& definition, std::string_view source, Target target);

/// The text of reference.cpp, whose functions are templates over the real type, with such overloads
/// added.
std::string reference_with_overloads(const Definition& definition, std::string_view source);

/// Complains where the value of an argument that the variant leaves out cannot be written in C from
/// the variant's scalars, fixed dims, whole numbers, + - * and parentheses.
void check_overload(FileReport& report, Position place, const Definition& definition);

/// The Markdown text without the paragraphs that name, in backticks, what the variant lacks.
std::string without_wider(const Definition& definition, std::string_view markdown);

}  // namespace kw::task
