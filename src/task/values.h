// The kinds of value distributions of input tensors, and their keys.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "task/definition.h"

namespace kw::task {

/// Reads a distribution such as `{ kind: normal, mean: 0, std: 1 }`; missing keys get the defaults
/// of docs/formats.md, and a number may be a formula such as `n - 1`. `known` are the names that
/// formulas may use, `scalars` those that the kind `points` may use.
std::optional<ValuesSpec> read_values(FileReport& report, const Yaml& node, Dtype dtype,
                                      std::span<const std::string> known,
                                      std::span<const ScalarSpec> scalars);

/// What is wrong with one parameter of a distribution.
struct BadNumber {
  std::string key;  ///< The parameter.
  std::string about;
  std::string message;
};

/// The parameters that lie outside the limits of the kind or that contradict one another, for a
/// tensor of the given type. Parameters that are missing are not looked at.
std::vector<BadNumber> bad_numbers(std::string_view kind,
                                   const std::map<std::string, double>& numbers, Dtype dtype);

/// The distribution for a tensor to which the task gives none.
ValuesSpec default_values(Dtype dtype);

}  // namespace kw::task
