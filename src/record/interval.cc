// Describes intervals of ratios in words.
// SPDX-License-Identifier: Apache-2.0
#include "record/interval.h"

#include <fmt/format.h>

#include <cmath>

namespace kw {

bool has_interval(const Speedup& speedup) {
  return speedup.low > 0 && speedup.high > 0 && std::isfinite(speedup.high);
}

std::string range_text(const Speedup& s) {
  return has_interval(s) ? fmt::format("{:.3f}–{:.3f}", s.low, s.high) : std::string();
}

std::string interval_text(const Speedup& s) {
  std::string text = range_text(s);
  if (!text.empty() && s.confidence > 0) text += fmt::format(" at {:.1f} %", s.confidence * 100);
  return text;
}

std::string ratio_text(const Speedup& s) {
  return fmt::format("{:.3f}x{}", s.value, in_brackets(interval_text(s)));
}

std::string in_brackets(const std::string& interval, const std::string& more) {
  const std::string both = interval + (interval.empty() || more.empty() ? "" : ", ") + more;
  return both.empty() ? both : " (" + both + ")";
}

}  // namespace kw
