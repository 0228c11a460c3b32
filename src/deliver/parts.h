// What several forms of an export say alike: declarations, flags, head comments, filled templates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "deliver/delivery.h"

namespace kw::deliver {

/// A string literal of C and of Python, on one line; characters that would hide or end it are
/// escaped.
std::string quoted(std::string_view text, std::size_t limit);

/// An embedded text with every @NAME@ replaced by its value. `values` must have every name of the
/// text.
std::string filled(std::string_view text, const std::map<std::string, std::string>& values);

/// The C type of an argument. Tensors of two-byte types are `void`, so that no header is needed.
std::string c_type(const Parameter& parameter);
/// "int n, float a, const float* x, float* y": the parameters in C, each name behind `prefix`, with
/// `more` at the end.
std::string c_parameters(const Task& task, std::string_view more = {},
                         std::string_view prefix = {});
/// "n, a, x, y": the names of the arguments.
std::string argument_names(const Task& task);

/// Compiler flags that decide what a cpu kernel's code means and how fast it is, as the kernel was
/// judged.
std::vector<std::string> cpu_flags(const Candidate& kernel);
/// Linker flags for the libraries that the kernel uses.
std::vector<std::string> link_libraries(const Candidate& kernel);

/// Comment lines (`// …`) that say what the file is, where the kernel comes from, how fast it was,
/// and its licence.
std::string head_comment(const Delivery& delivery, std::string_view what);
/// The story of the kernel, as head_comment() tells it, as text for a README.
std::string story_text(const Delivery& delivery);

/// A comment line for each tensor, with sizes and alignment, and for each scalar that follows from
/// sizes.
std::string argument_comment(const Delivery& delivery);

/// Adds LICENSE and, where the kernel has a certificate, certificate.json.
void add_papers(const Delivery& delivery, Files& files);

/// One file with declaration and implementation: the form `header`, and part of the others.
Result<std::string> header_text(const Delivery& delivery);

Result<Files> cmake_files(const Delivery& delivery);
Result<Files> torch_files(const Delivery& delivery);
Result<Files> source_files(const Delivery& delivery);

}  // namespace kw::deliver
