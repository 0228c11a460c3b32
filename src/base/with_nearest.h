// with_nearest(): an unknown name beside the one that may have been meant, for Error::about.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/text.h"

namespace kw {

/// "gredy -> greedy": an unknown name and the nearest of the candidates; the name alone where none
/// is near.
inline std::string with_nearest(std::string_view name, std::span<const std::string> candidates) {
  std::string text(name);
  if (const auto near = nearest(name, candidates)) text += " -> " + *near;
  return text;
}

}  // namespace kw
