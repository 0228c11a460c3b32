// How a kernel's innermost loops walk through memory, as far as its text shows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "task/definition.h"

namespace kw::memory {

/// Variable of a most deeply nested loop whose every use in an index is multiplied, or stands in an
/// index that is not the last: neighbouring iterations lie a stride apart. Nothing: none does, or
/// the text does not show it. A hint for words, never a verdict. O(tokens²) in the worst case.
std::optional<std::string> strided_loop(std::string_view source);

/// What to call the dimension that lies contiguous in the task's largest-ranked tensor: the
/// reference's variable for it ("z" where its loop ends at nz), else the size's own name ("nz").
/// Empty where tensors have no dimension of a name.
std::string contiguous_axis(const task::Definition& task);

}  // namespace kw::memory
