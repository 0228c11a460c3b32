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

/// A literal of C and of Python, on one line: foreign text with what hides or ends it escaped.
std::string quoted(std::string_view text, std::size_t limit);

/// Each @NAME@ of an embedded text in its value's place. Every name of the text must be given.
std::string filled(std::string_view text, const std::map<std::string, std::string>& values);

/// The C type of an argument; tensors of two-byte types are `void`, so that no header is needed.
std::string c_type(const Parameter& parameter);
/// "int n, float a, const float* x, float* y", each name behind `prefix`, and then what `more`
/// says.
std::string c_parameters(const Task& task, std::string_view more = {},
                         std::string_view prefix = {});
/// "n, a, x, y"
std::string argument_names(const Task& task);

/// Flags that decide what a cpu kernel's code means and how fast it is, as it was judged.
std::vector<std::string> cpu_flags(const Candidate& kernel);
/// Flags of the libraries that it is linked with.
std::vector<std::string> link_libraries(const Candidate& kernel);

/// Lines of comment (`// …`) that say what this is, from where, how fast and by whose licence.
std::string head_comment(const Delivery& delivery, std::string_view what);
/// The same as text for a README.
std::string story_text(const Delivery& delivery);

/// A comment line for each tensor, with sizes and alignment, and for each scalar that follows from
/// sizes.
std::string argument_comment(const Delivery& delivery);

/// LICENSE and, where there is one, certificate.json.
void add_papers(const Delivery& delivery, Files& files);

/// One file with declaration and implementation: the form `header`, and part of the others.
Result<std::string> header_text(const Delivery& delivery);

Result<Files> cmake_files(const Delivery& delivery);
Result<Files> torch_files(const Delivery& delivery);
Result<Files> source_files(const Delivery& delivery);

}  // namespace kw::deliver
