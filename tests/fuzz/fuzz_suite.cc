// Fuzzes suite specs: any text gives a spec or error messages with places, never a crash or a hang.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "task/suite.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto spec = kw::task::parse_suite(text, "fuzz", {{"greedy", "evolve"}, {"speedup"}});
  if (!spec && spec.error().what.empty()) __builtin_trap();
  if (spec && (spec->tasks.empty() || spec->strategies.empty())) __builtin_trap();
  return 0;
}
