// How a kernel's innermost loops walk through memory, as far as its text shows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "task/definition.h"

namespace kw::memory {

/// The variable of an innermost loop whose iterations are a stride apart in memory: in every index,
/// the variable is multiplied or is not in the last dimension. Nothing where no loop does this or
/// the text does not show it. Used only as a hint in texts, never for a verdict. O(tokens²) in the
/// worst case.
std::optional<std::string> strided_loop(std::string_view source);

/// The name of the dimension that is contiguous in the task's tensor of highest rank: the
/// reference's variable for it ("z" where its loop ends at nz), or else the size's own name ("nz").
/// Empty where no tensor has a named dimension.
std::string contiguous_axis(const task::Definition& task);

}  // namespace kw::memory
