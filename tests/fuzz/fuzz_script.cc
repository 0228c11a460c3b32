// Fuzzes scripts of a scripted model: any text is read, or refused with a place.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "llm/script.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto script =
      kw::llm::parse_script({reinterpret_cast<const char*>(data), size}, "fuzz.txt");
  if (!script && !script.error().where.starts_with("fuzz.txt:")) __builtin_trap();
  if (script && script->empty()) __builtin_trap();
  return 0;
}
