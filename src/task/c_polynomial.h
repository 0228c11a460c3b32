// Arithmetic on the index expressions of C code, as sums of products.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "task/c_function.h"

namespace kw::task {

/// The sorted factors of a product.
using Monomial = std::vector<std::string>;

/// a + sign * b; nothing if a number overflows or the sum has too many terms for an index
/// expression.
std::optional<Polynomial> add(Polynomial a, const Polynomial& b, std::int64_t sign);

/// The product of two sums; nothing if a number overflows or the product has too many terms for an
/// index expression.
std::optional<Polynomial> multiply(const Polynomial& a, const Polynomial& b);

/// The quotient a / b of two products; nothing if b does not divide a.
std::optional<Monomial> divide(const Monomial& a, const Monomial& b);

/// The sum as a C expression in the order in which people write it: products first, the constant
/// last.
std::string to_expression(const Polynomial& polynomial);

}  // namespace kw::task
