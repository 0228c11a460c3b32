// What people call the arguments of kernels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kw::import {

/// How well a name of a program fits one of a task as a tensor or a real number; 0: not at all,
/// 10: the same name but for case and for `d_` and its like.
int name_likeness(std::string_view program, std::string_view task);

/// "rows", "cols", "n", "k", "pitch", or "" for none of them.
std::string_view size_role(std::string_view name);

/// Without `d_`, `h_`, `_ptr` and the like, in small letters.
std::string bare_name(std::string_view name);

}  // namespace kw::import
