// What several forms of an export share: declarations, flags, comments at the head of files, filled
// templates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "deliver/delivery.h"

namespace kw::deliver {

/// A string literal with this text that is valid in C and in Python, on one line; characters that
/// would end the literal or be invisible in it are escaped.
std::string quoted(std::string_view text, std::size_t limit);

/// An embedded text with every @NAME@ replaced by its value. `values` must contain every name in
/// the text.
std::string filled(std::string_view text, const std::map<std::string, std::string>& values);

/// The type of an element in C++ with <cstdint>, such as std::int64_t; empty for types of two bytes
/// that are no integers, which have none.
std::string cpp_type(Dtype dtype);

/// The C type of an argument. Tensors of two-byte types are `void`, so that no header is needed.
std::string c_type(const Parameter& parameter);
/// The parameters in C: "int n, float a, const float* x, float* y", with `prefix` before each name
/// and `more` at the end.
std::string c_parameters(const Task& task, std::string_view more = {},
                         std::string_view prefix = {});
/// The names of the arguments: "n, a, x, y".
std::string argument_names(const Task& task);

/// The compiler flags on which the meaning and the speed of a cpu kernel depend, as used when the
/// kernel was judged.
std::vector<std::string> cpu_flags(const Candidate& kernel);
/// Linker flags for the libraries that the kernel uses.
std::vector<std::string> link_libraries(const Candidate& kernel);

/// Comment lines (`// …`) that say what the file is, where the kernel comes from, how fast it was,
/// and its licence.
std::string head_comment(const Delivery& delivery, std::string_view what);
/// The text for a README about where the kernel comes from and how fast it was; the same facts as
/// in head_comment().
std::string story_text(const Delivery& delivery);

/// A comment line for each tensor, with sizes and alignment, and for each scalar that is computed
/// from sizes.
std::string argument_comment(const Delivery& delivery);

/// Adds the file LICENSE and, if the kernel has a certificate, certificate.json.
void add_papers(const Delivery& delivery, Files& files);

/// One header with declaration and implementation: the whole of the form `header`, and a part of
/// other forms.
Result<std::string> header_text(const Delivery& delivery);

Result<Files> cmake_files(const Delivery& delivery);
Result<Files> torch_files(const Delivery& delivery);
Result<Files> source_files(const Delivery& delivery);

}  // namespace kw::deliver
