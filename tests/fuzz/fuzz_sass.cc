// Fuzzes the reading of disassembled code: any bytes are read, and the counts of the result add up.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "compile/sass.h"

namespace {

void check(const kw::compile::CodeMix& mix) {
  int sum = 0;
  for (const auto& [name, n] : mix.by_class) {
    if (n <= 0) __builtin_trap();
    sum += n;
  }
  if (sum != mix.instructions) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const auto& kernel : kw::compile::parse_sass(bytes)) {
    check(kernel.all);
    check(kernel.loop);
    if (kernel.loop.instructions > kernel.all.instructions) __builtin_trap();
    if ((kernel.loop_depth == 0) != (kernel.loop.instructions == 0)) __builtin_trap();
  }
  return 0;
}
