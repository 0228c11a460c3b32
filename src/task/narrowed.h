// Sources of a task that serve a variant of it with fewer arguments.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "task/definition.h"
#include "task/fields.h"

namespace kw::task {

/// C++ or host-launcher source as it serves `definition`: where the task is a variant with a
/// signature of its own and the source defines the function with the other task's arguments, an
/// overload with the variant's arguments stands behind it; else the source as it is. Device code
/// needs no overload, because launch plans pass arguments by name.
std::string with_overload(const Definition& definition, std::string_view source, Target target);

/// The same for the text of reference.cpp, whose functions are templates over the real type.
std::string reference_with_overloads(const Definition& definition, std::string_view source);

/// Complains where the value of an argument that the variant leaves out cannot be written in C: it
/// is made of the variant's scalars, fixed dims, whole numbers, + - * and parentheses.
void check_overload(FileReport& report, Position place, const Definition& definition);

/// Markdown without the paragraphs that name, in backticks, what the variant does not have.
std::string without_wider(const Definition& definition, std::string_view markdown);

}  // namespace kw::task
