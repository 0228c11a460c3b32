// Finds integer and boolean parameters that only choose what the code does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "task/c/function.h"

namespace kw::task {

/// The parameters that the body compares with numbers and does nothing else with, with values by
/// which each way through the code is taken: 0 and 1 of what is told from zero, and the numbers of
/// comparisons, of `case` and of masks with one beside them. Every boolean parameter is among them.
std::map<std::string, std::vector<std::int64_t>> flags_of(const CFunction& function,
                                                          const std::vector<lex::Token>& tokens);

}  // namespace kw::task
