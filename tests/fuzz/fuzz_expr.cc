// Fuzzes expressions: any text is parsed or refused; a parsed expression can be printed and parsed
// again, with the same value.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/expr.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto expr = kw::Expr::parse(text);
  if (!expr) return expr.error().offset <= size ? 0 : (__builtin_trap(), 0);

  const kw::Names names = {{"a", 3}, {"b", -7}, {"n", 1'000'003}};
  const auto value = expr->evaluate(names);
  const auto again = kw::Expr::parse(expr->print());
  // The text of a printed tree may be refused only if it is too long.
  if (!again) return expr->print().size() > kw::Expr::kMaxText ? 0 : (__builtin_trap(), 0);
  const auto value_again = again->evaluate(names);
  if (value.has_value() != value_again.has_value()) __builtin_trap();
  if (value && *value != *value_again) __builtin_trap();
  return 0;
}
