// Turns the text of a C function into a reference template over Real; used by draft.cc only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "task/c_function.h"

namespace kw::task {

/// reference.cpp for `function`. Parameters in `inputs` are const. Helper functions and standard
/// headers of the file come along; float, double, their literals and the f-suffixed math functions
/// become Real.
std::string draft_reference(std::string_view source, const std::vector<CodeToken>& tokens,
                            const CFunction& function, const std::vector<std::string>& inputs);

}  // namespace kw::task
