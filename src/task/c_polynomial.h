// Arithmetic on index expressions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "task/c_function.h"

namespace kw::task {

/// Sorted factors of a product.
using Monomial = std::vector<std::string>;

/// a + sign * b; nothing where a number overflows or there are too many terms for an index.
std::optional<Polynomial> add(Polynomial a, const Polynomial& b, std::int64_t sign);

/// The product; nothing where a number overflows or there are too many terms for an index.
std::optional<Polynomial> multiply(const Polynomial& a, const Polynomial& b);

/// The quotient of two products, where one divides the other.
std::optional<Monomial> divide(const Monomial& a, const Monomial& b);

/// The expression in C, as people write sums: products first, the constant last.
std::string to_expression(const Polynomial& polynomial);

}  // namespace kw::task
