// Parses the --dim values of kw sweep.
// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_range.h"

#include <charconv>
#include <optional>

namespace kw::cli {
namespace {

std::optional<std::int64_t> positive(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end || value < 1) return std::nullopt;
  return value;
}

/// The step of a range: a number to add, or a factor of at least 2.
struct Step {
  std::int64_t by = 2;
  bool is_factor = true;
};

std::optional<Step> parse_step(std::string_view text) {
  if (text.empty()) return Step{};
  if (text.starts_with(':')) text.remove_prefix(1);
  const bool is_factor = text.starts_with('*');
  if (is_factor) text.remove_prefix(1);
  const auto by = positive(text);
  if (!by || (is_factor && *by < 2)) return std::nullopt;
  return Step{*by, is_factor};
}

std::optional<std::vector<std::int64_t>> parse_range(std::string_view text) {
  const auto dots = text.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(dots + 2);
  const auto mark = rest.find_first_of(":*");
  const auto lo = positive(text.substr(0, dots));
  const auto hi = positive(rest.substr(0, mark));
  const auto step =
      parse_step(mark == std::string_view::npos ? std::string_view() : rest.substr(mark));
  if (!lo || !hi || !step || *hi < *lo) return std::nullopt;
  std::vector<std::int64_t> values;
  std::int64_t value = *lo;
  while (value <= *hi && values.size() <= kMaxSweepPoints) {
    values.push_back(value);
    const bool overflows = step->is_factor ? __builtin_mul_overflow(value, step->by, &value)
                                           : __builtin_add_overflow(value, step->by, &value);
    if (overflows) break;
  }
  return values;
}

}  // namespace

Result<session::SweepRange> parse_sweep(const std::vector<std::string>& dims) {
  constexpr const char* kForm = "sizes are given as n=64..512, n=64..512:64 or n=64..4096*4, not '";
  session::SweepRange plan;
  for (const std::string& text : dims) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return fail_input(ErrorCode::BadInput, About{text}, kForm + text + "'", "--dim");
    const std::string name = text.substr(0, equals);
    const std::string_view value = std::string_view(text).substr(equals + 1);
    if (name == plan.dim || plan.fixed.contains(name))
      return fail_input(ErrorCode::Contradiction, About{name}, "dim '" + name + "' is given twice",
                        "--dim");
    if (const auto fixed = positive(value)) {
      plan.fixed[name] = *fixed;
      continue;
    }
    auto values = parse_range(value);
    if (!values) return fail_input(ErrorCode::BadInput, About{text}, kForm + text + "'", "--dim");
    if (!plan.dim.empty())
      return fail_input(ErrorCode::Contradiction, About{plan.dim + " and " + name},
                        "only one dim may range; '" + plan.dim + "' does already", "--dim");
    if (values->size() > kMaxSweepPoints)
      return fail_input(ErrorCode::TooLarge, About{"points"},
                        "the range has more than " + std::to_string(kMaxSweepPoints) + " points",
                        "--dim");
    plan.dim = name;
    plan.values = std::move(*values);
  }
  if (plan.dim.empty())
    return fail_input(ErrorCode::Missing, About{"range"},
                      "one dim must range, as in --dim n=64..512", "--dim");
  return plan;
}

}  // namespace kw::cli
