// Parses the names of GPU architectures.
// SPDX-License-Identifier: Apache-2.0
#include "base/arch.h"

#include <charconv>

namespace kw {

ArchName parse_arch(std::string_view arch) {
  constexpr std::string_view kPrefix = "sm_";
  if (!arch.starts_with(kPrefix)) return {};
  arch.remove_prefix(kPrefix.size());
  int value = 0;
  const auto [end, trouble] = std::from_chars(arch.data(), arch.data() + arch.size(), value);
  const std::string_view rest(end, static_cast<std::size_t>(arch.data() + arch.size() - end));
  if (trouble != std::errc{} || value < 10 || value > 999) return {};
  if (rest.empty()) return {value, 0};
  return rest == "a" || rest == "f" ? ArchName{value, rest[0]} : ArchName{};
}

}  // namespace kw
