// Fuzzes the sanitising of foreign text for display: any bytes become plain, bounded text, and text
// in pieces gives the same result.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/foreign_text.h"
#include "base/text.h"

namespace {

bool is_plain(std::string_view text, bool has_lines) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_allowed = has_lines && (c == '\n' || c == '\t');
    if ((byte < 0x20 && !is_allowed) || byte == 0x7F) return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  // A byte may become an escape sequence of four characters.
  const std::string whole = kw::sanitise(bytes, 4 * size + 1);
  if (!is_plain(whole, true) || kw::sanitise(whole, 4 * size + 1) != whole) __builtin_trap();
  if (!is_plain(kw::sanitise_line(bytes), false)) __builtin_trap();
  if (kw::sanitise_line(bytes, 17).size() > 17) __builtin_trap();
  for (const std::size_t piece : {std::size_t{1}, std::size_t{3}}) {
    kw::ShownStream stream;
    std::string shown;
    for (std::size_t at = 0; at < bytes.size(); at += piece)
      shown += stream.show(bytes.substr(at, piece));
    if (shown + stream.rest() != whole) __builtin_trap();
  }
  return 0;
}
