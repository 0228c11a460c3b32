// A bound for the work of interpreting a host function.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace kw::import {

/// What interpreting may still cost, and how deep expressions, statements and calls are nested.
struct Effort {
  std::int64_t budget = 20'000;
  int depth = 0;

  /// Takes one unit from the budget. False once more was spent than any real program needs.
  bool spend() { return --budget > 0; }
  bool is_spent() const { return budget <= 0; }
};

}  // namespace kw::import
