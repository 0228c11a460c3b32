// Fuzzes the expression language: any text gives a value or an error inside it, and printing keeps
// meaning.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/expr.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto expr = kw::Expr::parse(text);
  if (!expr) {
    KW_ASSERT(expr.error().offset <= size);
    return 0;
  }
  const kw::Names names = {{"n", 7}, {"m", -3}, {"zero", 0}};
  const auto value = expr->evaluate(names);
  // Printing may exceed the length limit only by its blanks and parentheses.
  if (const auto again = kw::Expr::parse(expr->print())) {
    const auto same = again->evaluate(names);
    KW_ASSERT(same.has_value() == value.has_value());
    KW_ASSERT(!value || *same == *value);
  }
  return 0;
}
