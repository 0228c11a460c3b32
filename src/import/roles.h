// Guesses the roles of kernels' arguments from their usual names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kw::import {

/// How well a program's name fits the name of a tensor or real number of the task, from 0 (not at
/// all) to 10 (equal up to case and prefixes such as `d_`).
int name_likeness(std::string_view program, std::string_view task);

/// The role that an integer has by its name: "rows", "cols", "n", "k", "pitch", or "" if the name
/// is not a usual one.
std::string_view size_role(std::string_view name);

/// The name in lower case without prefixes and suffixes such as `d_`, `h_` and `_ptr`.
std::string bare_name(std::string_view name);

}  // namespace kw::import
