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

/// What the text of a drafted function is for: the truth, a baseline for processors, a kernel.
enum class CodeUse { Truth, Own, Device };

/// The text of reference.cpp for `function`. Parameters listed in `inputs` become const. The
/// functions of the file that it uses, and standard headers, are included; float, double, their
/// literals and the f-suffixed math functions become Real. `source` has no pragmas; see
/// without_threads().
std::string draft_reference(std::string_view source, const std::vector<lex::Token>& tokens,
                            const CFunction& function, const std::vector<std::string>& inputs);

/// The text of a baseline for processors that is the code itself, with its own types, pragmas and
/// promises (`restrict`); empty where it would be the reference once more, at the tensors' type.
/// `source` is the file with its pragmas and `wanted` the function's name; `file` names the source
/// in a comment.
std::string draft_own_code(std::string_view source, std::string_view file, std::string_view wanted,
                           const std::vector<std::string>& inputs);

/// The text between two tokens without its lines of blanks, which stand where pragmas stood.
std::string without_blank_lines(std::string_view gap);

/// The source's `#define` lines in their order, with the `#if` lines around them, and with `#undef`
/// where the macro is defined once more behind it.
std::string macros_of(std::string_view source);
/// A typedef for each type name that the file declares. For the truth names of real types are left
/// out, since the reference has Real in their place.
std::string typedefs_text(const std::vector<lex::Token>& tokens, CodeUse use);

}  // namespace kw::task
