// What C code says about threads and vectors: pragmas, and what the preprocessor keeps for OpenMP.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "task/c/function.h"

namespace kw::task {

/// The source as a compiler without OpenMP reads it, with blanks in place of what it leaves out:
/// lines and operators of pragmas (but for `STDC`, `pack`, `once` and those of macros), uses of
/// macros that hold pragmas alone, and branches that `#if` keeps for OpenMP. Every other byte
/// stays where it is. Linear in the source.
std::string without_threads(std::string_view source);

/// The source as a compiler with OpenMP reads it: pragmas stay, and branches that `#if` keeps for
/// compilers without OpenMP are blanks. Every other byte stays where it is.
std::string with_threads(std::string_view source);

/// Whether a pragma of OpenMP, or one that asks for vectors, stands in the source.
bool has_thread_pragmas(std::string_view source);

/// Error: the function, or one that it uses, asks OpenMP's library for something, such as
/// omp_get_thread_num(). `tokens` are those of the source without threads.
Result<> refuse_openmp_calls(std::string_view source, std::string_view file,
                             const std::vector<lex::Token>& tokens, const CFunction& function);

}  // namespace kw::task
