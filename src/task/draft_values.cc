// Chooses values by what a body computes with them.
// SPDX-License-Identifier: Apache-2.0
#include "task/draft_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/contains.h"
#include "base/text.h"
#include "task/c_index.h"
#include "task/c_polynomial.h"

namespace kw::task {
namespace {

constexpr auto kRoots = std::to_array<std::string_view>(
    {"sqrt", "sqrtf", "log", "logf", "log2", "log2f", "log10", "log10f", "log1p", "log1pf", "pow",
     "powf", "rsqrt", "rsqrtf"});

bool uses_any(const CFunction& function, const std::vector<lex::Token>& tokens,
              std::span<const std::string_view> words) {
  for (std::size_t i = function.open; i < function.close && i < tokens.size(); ++i)
    if (contains(words, tokens[i].text)) return true;
  return false;
}

std::optional<Polynomial> product_of(const SizedElements& tensor) {
  std::optional<Polynomial> product = Polynomial{{{}, tensor.bytes}};
  for (const std::string& size : tensor.shape) {
    const auto tokens = lex::tokenize(size);
    const auto factor = IndexReader(tokens).whole(0, tokens.size());
    product = product && factor ? multiply(*product, *factor) : std::nullopt;
  }
  return product;
}

}  // namespace

bool is_safe_for_zeros(const CFunction& function, const std::vector<lex::Token>& tokens) {
  static constexpr auto kDivisions = std::to_array<std::string_view>({"/", "/=", "%", "%="});
  return !uses_any(function, tokens, kDivisions) && takes_negative_numbers(function, tokens);
}

bool takes_negative_numbers(const CFunction& function, const std::vector<lex::Token>& tokens) {
  return !uses_any(function, tokens, kRoots);
}

std::string scalar_value(std::size_t number, bool takes_negative) {
  const bool is_negative = takes_negative && number % 2 == 1;
  const double magnitude = number == 0 ? 0.75 : 1 + 0.25 * static_cast<double>(number);
  return fmt::format("{}{:g}", is_negative ? "-" : "", magnitude);
}

std::string total_bytes(std::span<const SizedElements> tensors) {
  Polynomial sum;
  std::vector<std::string> parts;
  for (const SizedElements& tensor : tensors) {
    const auto product = product_of(tensor);
    const auto more = product ? add(sum, *product, 1) : std::nullopt;
    if (more) {
      sum = *more;
      continue;
    }
    std::vector<std::string> factors = {std::to_string(tensor.bytes)};
    for (const std::string& size : tensor.shape) factors.push_back("(" + size + ")");
    parts.push_back(join(factors, " * "));
  }
  if (!sum.empty() || parts.empty()) parts.insert(parts.begin(), to_expression(sum));
  return join(parts, " + ");
}

}  // namespace kw::task
