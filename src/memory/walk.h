// How a kernel's innermost loops walk through memory, as far as its text shows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "task/definition.h"

namespace kw::memory {

/// The variable of a most deeply nested loop whose iterations lie a stride apart in memory: each of
/// its uses in an index is multiplied, or stands in an index that is not the last. Nothing where no
/// loop does that or the text does not show it. Only a hint for texts, never a reason for a
/// verdict. O(tokens²) in the worst case.
std::optional<std::string> strided_loop(std::string_view source);

/// The name of the dimension that is contiguous in the task's tensor of highest rank: the
/// reference's variable for it ("z" where its loop ends at nz), or else the size's own name ("nz").
/// Empty where no tensor has a named dimension.
std::string contiguous_axis(const task::Definition& task);

}  // namespace kw::memory
