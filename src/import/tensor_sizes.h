// Sizes of a task's tensors as a host program asks for them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "import/matching.h"

namespace kw::import {

/// Whether a dim or `let` is 1 in every workload, as the batch of a single matrix is. Functions
/// that take matrices do not have it.
bool is_silent(const task::Definition& task, const std::string& dim);

/// How many of a tensor's outer dimensions are silent.
std::int64_t silent_dims(const task::Definition& task, const task::TensorSpec& spec);

/// A size by what stands behind the # of its name: an index, `n` for all elements, `d` for the
/// number of dimensions, `s` and an index for a stride. Indices count silent dimensions with
/// `counts_all` alone. Nothing: the tensor has no such dimension.
std::optional<Size> size_of_tensor(const task::Definition& task, const task::TensorSpec& spec,
                                   const std::string& what, bool counts_all);

}  // namespace kw::import
