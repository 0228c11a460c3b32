// Values of scalars and counts of work in a drafted task.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "task/c_function.h"

namespace kw::task {

/// Whether the function neither divides nor takes logarithms or powers, so that zeros as input
/// cause no infinities.
bool is_safe_for_zeros(const CFunction& function, const std::vector<lex::Token>& tokens);

/// Whether a body takes no root, logarithm or power, which negative numbers may not have.
bool takes_negative_numbers(const CFunction& function, const std::vector<lex::Token>& tokens);

/// The value of the real scalar with this number, from 0 on. It is exact in every type, neither 0
/// nor 1, and no other scalar has it, so that swapping two of them or leaving one out shows.
std::string scalar_value(std::size_t number, bool takes_negative);

/// The elements of one tensor, with the bytes of each.
struct SizedElements {
  std::int64_t bytes = 1;
  std::vector<std::string> shape;
};

/// The sum of the tensors' bytes as an expression, equal products taken together.
std::string total_bytes(std::span<const SizedElements> tensors);

}  // namespace kw::task
