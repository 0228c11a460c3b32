// Fuzzes files of knowledge/: any bytes give cards that keep to their bounds, or error messages.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "memory/knowledge.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto cards = kw::memory::parse_cards(text, "knowledge/fuzz.yaml");
  if (!cards) {
    if (cards.error().what.empty()) __builtin_trap();
    return 0;
  }
  std::set<std::string> names;
  for (const kw::Card& card : *cards)
    if (card.text.size() > 2000 || !names.insert(card.name).second) __builtin_trap();
  return 0;
}
