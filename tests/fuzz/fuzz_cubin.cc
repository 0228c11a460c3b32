// Fuzzes the reader of cubins: a cubin that is accepted has complete parameter tables.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "compile/cubin.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto kernels =
      kw::compile::read_cubin(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!kernels) return 0;
  for (const kw::KernelFacts& kernel : *kernels) {
    std::int64_t end = 0;
    for (const kw::KernelParameter& parameter : kernel.parameters) {
      if (parameter.offset < end || parameter.bytes <= 0) std::abort();
      end = parameter.offset + parameter.bytes;
    }
  }
  return 0;
}
