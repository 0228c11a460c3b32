// Implements arithmetic on sums of products, stored as maps from sorted factors to coefficients.
// SPDX-License-Identifier: Apache-2.0
#include "task/c_polynomial.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace kw::task {
namespace {

constexpr std::size_t kMaxTerms = 64;  // an index expression has fewer terms
constexpr std::size_t kMaxFactors = 8;

}  // namespace

std::optional<Polynomial> add(Polynomial a, const Polynomial& b, std::int64_t sign) {
  for (const auto& [monomial, factor] : b) {
    std::int64_t scaled = 0;
    auto& target = a[monomial];
    if (__builtin_mul_overflow(factor, sign, &scaled) ||
        __builtin_add_overflow(target, scaled, &target))
      return std::nullopt;
    if (target == 0) a.erase(monomial);
  }
  if (a.size() > kMaxTerms) return std::nullopt;
  return a;
}

std::optional<Polynomial> multiply(const Polynomial& a, const Polynomial& b) {
  std::optional<Polynomial> product = Polynomial{};
  for (const auto& [x, i] : a)
    for (const auto& [y, j] : b) {
      Monomial factors = x;
      factors.insert(factors.end(), y.begin(), y.end());
      std::ranges::sort(factors);
      std::int64_t factor = 0;
      if (factors.size() > kMaxFactors || __builtin_mul_overflow(i, j, &factor))
        return std::nullopt;
      product = add(std::move(*product), {{factors, factor}}, 1);
      if (!product) return std::nullopt;
    }
  return product;
}

std::optional<Monomial> divide(const Monomial& a, const Monomial& b) {
  Monomial rest = a;
  for (const auto& factor : b) {
    const auto found = std::ranges::find(rest, factor);
    if (found == rest.end()) return std::nullopt;
    rest.erase(found);
  }
  return rest;
}

std::string to_expression(const Polynomial& polynomial) {
  std::string text;
  // The order in which people write sums: products first, the constant last.
  for (auto term = polynomial.rbegin(); term != polynomial.rend(); ++term) {
    const auto& [monomial, factor] = *term;
    const auto magnitude =
        factor < 0 ? 0 - static_cast<std::uint64_t>(factor) : static_cast<std::uint64_t>(factor);
    if (text.empty())
      text += factor < 0 ? "-" : "";
    else
      text += factor < 0 ? " - " : " + ";
    if (monomial.empty() || magnitude != 1)
      text += std::to_string(magnitude) + (monomial.empty() ? "" : " * ");
    text += join(monomial, " * ");
  }
  return text.empty() ? "0" : text;
}

}  // namespace kw::task
