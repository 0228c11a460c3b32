// The variables that templates of prompts may name; docs/prompts.md says what each holds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace kw::propose {

/// Every variable that a template may name.
const std::vector<std::string>& prompt_variables();

}  // namespace kw::propose
