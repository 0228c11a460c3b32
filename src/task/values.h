// The kinds of value distributions of input tensors, and their keys.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "task/definition.h"

namespace kw::task {

/// Reads a distribution such as `{ kind: normal, mean: 0, std: 1 }`; missing keys get the defaults
/// of docs/formats.md. `known` are the names that formulas may use, `scalars` those that the kind
/// `points` may use.
std::optional<ValuesSpec> read_values(FileReport& report, const Yaml& node, Dtype dtype,
                                      std::span<const std::string> known,
                                      std::span<const ScalarSpec> scalars);

/// The distribution for a tensor to which the task gives none.
ValuesSpec default_values(Dtype dtype);

}  // namespace kw::task
