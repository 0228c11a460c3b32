// Describes roofline positions in the words that tables and pages share.
// SPDX-License-Identifier: Apache-2.0
#include "record/device.h"

#include <fmt/format.h>

namespace kw {

std::string fraction_text(const RooflinePosition& p) {
  std::string text = fmt::format("{:.2f}", p.fraction);
  if (p.matrix_fraction > 0) text += fmt::format(" ({:.2f} of 3xTF32)", p.matrix_fraction);
  return text;
}

}  // namespace kw
