// The variables that templates of prompts may use; docs/prompts.md describes each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace kw::propose {

/// Every variable that a template may use.
const std::vector<std::string>& prompt_variables();

}  // namespace kw::propose
