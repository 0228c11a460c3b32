// Fuzzes JSON from a worker, a file or a model: any text is parsed or refused, and a parsed value
// survives a round trip.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto value = kw::parse_json(text, "fuzz");
  if (!value) return 0;
  const std::string line = kw::dump_json(*value);
  const auto again = kw::parse_json(line, "fuzz");
  if (!again || kw::dump_json(*again) != line) __builtin_trap();
  return 0;
}
