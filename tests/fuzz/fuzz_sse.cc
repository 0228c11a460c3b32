// Fuzzes event streams from a model's server: any bytes, in any pieces, are read or refused.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "net/sse.h"

namespace {

struct Seen {
  bool is_good = true;
  std::vector<kw::net::SseEvent> events;
  bool operator==(const Seen&) const = default;
};

Seen read(std::string_view bytes, std::size_t piece) {
  Seen seen;
  kw::net::SseReader reader(1 << 10);
  const auto keep = [&](const kw::net::SseEvent& event) -> kw::Result<> {
    seen.events.push_back(event);
    return {};
  };
  for (std::size_t at = 0; at < bytes.size() && seen.is_good; at += piece)
    seen.is_good = reader.feed(bytes.substr(at, piece), keep).has_value();
  if (seen.is_good) seen.is_good = reader.finish(keep).has_value();
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Seen whole = read(bytes, size + 1);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, std::size_t{64}})
    if (read(bytes, piece) != whole) __builtin_trap();
  return 0;
}
