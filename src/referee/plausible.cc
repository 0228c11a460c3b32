// The physics floor of design §4: floor work at generous limits.
// SPDX-License-Identifier: Apache-2.0
#include "referee/plausible.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace kw::referee {
namespace {

constexpr double kGenerous = 1.5;  // measured ceilings may be short of the machine's limits

double best_rate(const DeviceFacts& facts, bool flops, const std::string& level) {
  double best = 0;
  for (const Ceiling& ceiling : facts.ceilings)
    if (ceiling.kind.starts_with("fma") == flops && (level.empty() || ceiling.level == level))
      best = std::max(best, ceiling.per_second);
  return best * kGenerous;
}

}  // namespace

std::optional<double> compute_least_ns(const Workload& workload, const DeviceFacts& facts) {
  const double any_bytes = best_rate(facts, false, "");
  const double dram_bytes = best_rate(facts, false, "DRAM");
  const double flops = best_rate(facts, true, "");
  if (any_bytes <= 0 && flops <= 0) return std::nullopt;
  const auto bytes = static_cast<double>(workload.work.floor_bytes);
  const double beyond_cache = bytes - static_cast<double>(facts.last_level_cache());
  double seconds = 0;
  if (any_bytes > 0) seconds = bytes / any_bytes;
  if (dram_bytes > 0) seconds = std::max(seconds, beyond_cache / dram_bytes);
  if (flops > 0)
    seconds = std::max(seconds, static_cast<double>(workload.work.floor_flops) / flops);
  return seconds * 1e9;
}

std::optional<std::string> find_implausible(const Workload& workload, double median_ns,
                                            const DeviceFacts& facts) {
  const auto least = compute_least_ns(workload, facts);
  if (!least || median_ns >= *least) return std::nullopt;
  return fmt::format(
      "workload '{}' took {}; its floor of {} and {} operations needs at least {} at "
      "1.5 times the best ceilings measured on this device",
      workload.name, format_ns(median_ns),
      format_bytes(static_cast<std::uint64_t>(workload.work.floor_bytes)),
      workload.work.floor_flops, format_ns(*least));
}

}  // namespace kw::referee
