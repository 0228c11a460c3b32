// Finds the functions of a C or C++ source, and changes their linkage.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kw::task {

/// The numbers of parameters of the functions and templates with this name, whose definitions may
/// be enclosed by no braces other than those of `extern "C"`.
std::vector<std::size_t> parameters_of(std::string_view source, std::string_view name);

inline bool defines_function(std::string_view source, std::string_view name) {
  return !parameters_of(source, name).empty();
}

/// The source with C++ linkage in place of C linkage for everything that the source itself defines:
/// a function, a variable, or a block that mentions `function`. Declarations of functions that
/// other sources define keep C linkage.
std::string with_cpp_linkage(std::string_view source, std::string_view function);

}  // namespace kw::task
