// Fuzzes the `// kw:` lines of candidates: what parses has a valid default point and survives
// pinning.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "task/header.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  const auto header = kw::task::parse_header(source, "a.cpp");
  if (!header) {
    KW_ASSERT(!header.error().empty());
    return 0;
  }
  const auto point = header->default_point();
  KW_ASSERT(header->is_valid(point));
  const auto pinned = kw::task::pin_knobs(source, *header, point);
  if (pinned.size() > kw::task::kMaxSourceBytes) return 0;
  const auto again = kw::task::parse_header(pinned, "a.cpp");
  KW_ASSERT(again.has_value());
  KW_ASSERT(again->default_point() == point);
  return 0;
}
