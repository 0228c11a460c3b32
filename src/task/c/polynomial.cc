// Implements arithmetic on sums of products, stored as maps from sorted factors to coefficients.
// SPDX-License-Identifier: Apache-2.0
#include "task/c/polynomial.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <utility>

#include "base/text.h"

namespace kw::task {
namespace {

constexpr std::size_t kMaxTerms = 64;  // an index expression has fewer terms
constexpr std::size_t kMaxFactors = 8;
constexpr std::size_t kMaxPower = 3;  // of an index in a sum

/// The sum of the p-th powers of 0 … x - 1, times 12: coefficients of x, x², x³ and x⁴
/// (Faulhaber's formulas).
constexpr std::array<std::array<std::int64_t, 4>, kMaxPower + 1> kPowerSums = {
    {{12, 0, 0, 0}, {-6, 6, 0, 0}, {2, -6, 4, 0}, {0, 3, -6, 3}}};
constexpr std::int64_t kPowerDivisor = 12;

/// The sum of the p-th powers of the integers below `x`, times kPowerDivisor.
std::optional<Polynomial> power_sum(std::size_t p, const Polynomial& x) {
  std::optional<Polynomial> total = Polynomial{};
  std::optional<Polynomial> power = Polynomial{{{}, 1}};
  for (const std::int64_t factor : kPowerSums[p]) {
    power = multiply(*power, x);
    if (!power) return std::nullopt;
    if (factor != 0) total = add(std::move(*total), *power, factor);
    if (!total) return std::nullopt;
  }
  return total;
}

/// Divides total and divisor by what they have in common.
void reduce(Sum& sum) {
  std::int64_t common = sum.divisor;
  for (const auto& [monomial, factor] : sum.total) common = std::gcd(common, factor);
  if (common < 2) return;
  for (auto& [monomial, factor] : sum.total) factor /= common;
  sum.divisor /= common;
}

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

std::optional<Polynomial> replace(const Polynomial& polynomial, const std::string& name,
                                  const Polynomial& value) {
  std::optional<Polynomial> result = Polynomial{};
  for (const auto& [monomial, factor] : polynomial) {
    Monomial rest = monomial;
    std::erase(rest, name);
    std::optional<Polynomial> term = Polynomial{{rest, factor}};
    for (std::size_t power = monomial.size() - rest.size(); term && power > 0; --power)
      term = multiply(*term, value);
    if (term) result = add(std::move(*result), *term, 1);
    if (!term || !result) return std::nullopt;
  }
  return result;
}

bool is_never_negative(const Polynomial& polynomial) {
  std::set<std::string> names;
  for (const auto& [monomial, factor] : polynomial) names.insert(monomial.begin(), monomial.end());
  std::optional<Polynomial> shifted = polynomial;
  for (const std::string& name : names) {
    shifted = replace(*shifted, name, {{{}, 1}, {{name}, 1}});
    if (!shifted) return false;
  }
  return std::ranges::all_of(*shifted, [](const auto& term) { return term.second >= 0; });
}

bool is_at_most(const Polynomial& a, const Polynomial& b) {
  const auto difference = add(b, a, -1);
  return difference && is_never_negative(*difference);
}

std::optional<Sum> add(const Sum& a, const Sum& b, std::int64_t factor) {
  std::int64_t scale = 0;
  const std::int64_t divisor = std::lcm(a.divisor, b.divisor);
  if (__builtin_mul_overflow(factor, divisor / b.divisor, &scale)) return std::nullopt;
  const auto left = multiply(a.total, {{{}, divisor / a.divisor}});
  auto total = left ? add(*left, b.total, scale) : std::nullopt;
  if (!total) return std::nullopt;
  Sum sum{std::move(*total), divisor};
  reduce(sum);
  return sum;
}

std::optional<Sum> sum_over(const Sum& summand, const std::string& name, const Polynomial& first,
                            const Polynomial& bound) {
  Sum sum{{}, summand.divisor};
  if (__builtin_mul_overflow(sum.divisor, kPowerDivisor, &sum.divisor)) return std::nullopt;
  for (const auto& [monomial, factor] : summand.total) {
    Monomial rest = monomial;
    std::erase(rest, name);
    const std::size_t power = monomial.size() - rest.size();
    if (power > kMaxPower) return std::nullopt;
    const auto upper = power_sum(power, bound), lower = power_sum(power, first);
    const auto range = upper && lower ? add(*upper, *lower, -1) : std::nullopt;
    const auto term = range ? multiply({{rest, factor}}, *range) : std::nullopt;
    auto total = term ? add(std::move(sum.total), *term, 1) : std::nullopt;
    if (!total) return std::nullopt;
    sum.total = std::move(*total);
  }
  reduce(sum);
  return sum;
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
