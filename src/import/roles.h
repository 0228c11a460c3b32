// Guesses the roles of kernels' arguments from their usual names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kw::import {

/// How well a program's name fits a name of the task's tensors or real numbers: 0 not at all, 10
/// equal up to case and prefixes such as `d_`.
int name_likeness(std::string_view program, std::string_view task);

/// The role of an integer by its name: "rows", "cols", "n", "k", "pitch", or "" for none.
std::string_view size_role(std::string_view name);

/// The name in small letters without prefixes and suffixes such as `d_`, `h_` and `_ptr`.
std::string bare_name(std::string_view name);

}  // namespace kw::import
