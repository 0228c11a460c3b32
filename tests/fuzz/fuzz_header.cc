// Fuzzes candidate sources: any bytes give a header or diagnostics, and a source whose knobs were
// pinned gives the same variant again.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "task/header.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  const auto header = kw::task::parse_header(source, "fuzz.cpp");
  if (!header) {
    if (header.error().empty()) __builtin_trap();
    return 0;
  }
  const auto point = header->default_point();
  if (!header->is_valid(point)) return 0;  // no combination of knobs is valid
  const auto pinned =
      kw::task::parse_header(kw::task::pin_knobs(source, *header, point), "fuzz.cpp");
  if (!pinned || pinned->default_point() != point) __builtin_trap();
  return 0;
}
