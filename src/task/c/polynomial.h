// Arithmetic on the index expressions of C code, as sums of products.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "task/c/function.h"

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

/// The polynomial with `value` in place of every `name`; nothing where a number overflows.
std::optional<Polynomial> replace(const Polynomial& polynomial, const std::string& name,
                                  const Polynomial& value);

/// Whether the polynomial is proven to be at least 0 for all values of its names from 1 on. A
/// sufficient test: no coefficient is negative once each name is written as 1 plus a number.
bool is_never_negative(const Polynomial& polynomial);

/// Whether a <= b is proven for all values of the names from 1 on.
bool is_at_most(const Polynomial& a, const Polynomial& b);

/// A polynomial and the number by which its value is to be divided.
struct Sum {
  Polynomial total;
  std::int64_t divisor = 1;
};

/// a + factor * b in lowest terms; nothing where a number overflows.
std::optional<Sum> add(const Sum& a, const Sum& b, std::int64_t factor);

/// The sum of `summand` over the integers of `name` from `first` to below `bound`; exact where
/// first <= bound. Nothing where `name` has a power above 3 or a number overflows.
std::optional<Sum> sum_over(const Sum& summand, const std::string& name, const Polynomial& first,
                            const Polynomial& bound);

/// The sum as a C expression in the order in which people write it: products first, the constant
/// last.
std::string to_expression(const Polynomial& polynomial);

}  // namespace kw::task
