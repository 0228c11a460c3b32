// Words for what models cost.
// SPDX-License-Identifier: Apache-2.0
#include "record/exchange.h"

#include <fmt/format.h>

namespace kw {

std::string dollars_text(const Spending& spent) {
  if (spent.calls > 0 && spent.calls == spent.unpriced) return "unknown";
  return fmt::format("{}${:.4f}", spent.unpriced > 0 ? ">" : "", spent.usd);
}

}  // namespace kw
