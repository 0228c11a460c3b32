// Finds the size of a task's tensor for which a host program asks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "import/matching.h"

namespace kw::import {

/// Whether a dim or `let` is 1 in every workload, as the batch dimension of a single matrix is.
/// Functions that take matrices do not have such a dimension.
bool is_silent(const task::Definition& task, const std::string& dim);

/// How many of a tensor's leading dimensions are 1 in every workload.
std::int64_t silent_dims(const task::Definition& task, const task::TensorSpec& spec);

/// A size of a tensor. `what` selects it: an index for a dimension, `n` for the number of elements,
/// `d` for the number of dimensions, `s` and an index for a stride. With `counts_all`, indices
/// count dimensions that are always 1 too. Returns nothing if the tensor has no such dimension.
std::optional<Size> size_of_tensor(const task::Definition& task, const task::TensorSpec& spec,
                                   const std::string& what, bool counts_all);

}  // namespace kw::import
