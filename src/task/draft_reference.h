// Turns the text of a C function into a function template over the type Real: the task's reference.
// Used by draft.cc only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "task/c/function.h"

namespace kw::task {

/// The decimal number of a real literal without the suffix of a float, since the truth computes
/// with doubles; empty if the token is no such literal.
std::string_view real_number(const lex::Token& token);

/// The text of reference.cpp for `function`. Parameters listed in `inputs` become const. The file's
/// helper functions and standard headers are included; float, double, their literals and the
/// f-suffixed math functions become Real.
std::string draft_reference(std::string_view source, const std::vector<lex::Token>& tokens,
                            const CFunction& function, const std::vector<std::string>& inputs);

/// The source's `#define` lines, a line each; one that goes on in the next line is left out.
std::string macros_of(std::string_view source);
/// A typedef for each type name that the file declares; names of real types only if told so, since
/// the reference has Real in their place.
std::string typedefs_text(const std::vector<lex::Token>& tokens, bool with_real);

}  // namespace kw::task
