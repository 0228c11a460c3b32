// Fuzzes foreign certificates: any bytes are read or refused with a message, and the kernel of a
// certificate that was read can be searched for.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "report/certificate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read =
      kw::report::read_certificate({reinterpret_cast<const char*>(data), size}, "certificate.json");
  if (!read) {
    if (read.error().what.empty() || !read.error().is_input) __builtin_trap();
    return 0;
  }
  if (read->task.find_first_of("./") != std::string::npos || read->source_sha256.size() != 64)
    __builtin_trap();
  if (!(read->claim.value > 0)) __builtin_trap();
  return 0;
}
