// The rules of plausibility, one function each.
// SPDX-License-Identifier: Apache-2.0
#include "profile/plausible.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

#include "base/text.h"
#include "device/multiprocessor.h"

namespace kw::profile {
namespace {

// Factor by which a ceiling may lie on the wrong side of another one: room for the noise of both.
constexpr double kSlack = 1.25;
// No core of this decade loads and stores more than 3 x 64 bytes per cycle at 7 GHz, or does more
// than 4 FMAs of 16 lanes.
constexpr double kMaxBytesPerCore = 192 * 7e9;
constexpr double kMaxFlopsPerCore = 4 * 16 * 2 * 7e9;
constexpr double kMinBytes = 1e8;  // A tenth of the slowest memory still sold.
constexpr double kMinFlops = 1e8;
constexpr double kUnbounded = 1e18;  // A hundred times any device of this decade.

// Factor above the datasheet's rate that is still believed: a GPU may run a little above the clock
// that it states, and events have a coarse resolution.
constexpr double kClockSlack = 1.05;

int rank_of(std::string_view name, std::span<const std::string_view> order) {
  const auto found = std::find(order.begin(), order.end(), name);
  return found == order.end() ? -1 : static_cast<int>(found - order.begin());
}

int level_rank(const Ceiling& c) {
  static constexpr std::array<std::string_view, 5> kLevels{"shared", "L1", "L2", "L3", "DRAM"};
  return rank_of(c.level, kLevels);
}

int isa_rank(const Ceiling& c) {
  static constexpr std::array<std::string_view, 4> kIsas{"scalar", "sse", "avx2", "avx512"};
  return rank_of(c.isa, kIsas);
}

double highest(const Ceiling& c, const GpuFacts* gpu) {
  if (gpu == nullptr)
    return (is_flops(c) ? kMaxFlopsPerCore : kMaxBytesPerCore) * std::max(c.threads, 1);
  const double limit = device::datasheet_rate(*gpu, c.kind, c.level);
  return limit > 0 ? limit * kClockSlack : kUnbounded;
}

std::string alone(const Ceiling& c, const GpuFacts* gpu) {
  const double low = is_flops(c) ? kMinFlops : kMinBytes;
  const double high = highest(c, gpu);
  const std::string_view unit = is_flops(c) ? "flop/s" : "B/s";
  if (!std::isfinite(c.per_second) || c.per_second < low || c.per_second > high)
    return fmt::format("{} measured as {}, outside {} to {}.", describe(c),
                       format_si(c.per_second, unit), format_si(low, unit), format_si(high, unit));
  if (c.samples < 3) return fmt::format("{} has {} samples; 3 are needed.", describe(c), c.samples);
  return {};
}

// Says which relation two ceilings violate; empty if they violate none.
std::string between(const Ceiling& a, const Ceiling& b) {
  const auto says = [&](std::string_view relation) {
    const std::string_view unit = is_flops(a) ? "flop/s" : "B/s";
    return fmt::format("{} ({}) {} {} ({}).", describe(a), format_si(a.per_second, unit), relation,
                       describe(b), format_si(b.per_second, unit));
  };
  const bool same_kind = a.kind == b.kind;
  const bool same_threads = a.threads == b.threads;
  const bool same_level = a.level == b.level;
  if (!is_flops(a) && same_kind && same_threads && level_rank(a) > level_rank(b) &&
      a.per_second > b.per_second * kSlack)
    return says("is faster than a nearer level,");
  if (same_level && same_threads && a.kind == "read" && b.kind == "copy" &&
      a.per_second < b.per_second * 0.5)
    return says("is less than half of");
  if (!is_flops(a) && !is_flops(b) && same_level && same_threads &&
      a.per_second < b.per_second * 0.2)
    return says("is less than a fifth of");
  if (same_kind && same_level && a.isa == b.isa && a.threads > b.threads) {
    if (a.per_second * kSlack < b.per_second) return says("is slower with more threads than");
    if (a.per_second > b.per_second * a.threads / b.threads * kSlack)
      return says("is faster than its threads can add up to, against");
  }
  if (is_flops(a) && same_kind && same_threads && isa_rank(a) > isa_rank(b) &&
      a.per_second * kSlack < b.per_second)
    return says("is slower than narrower vectors,");
  if (a.kind == "fma_f64" && b.kind == "fma_f32" && a.isa == b.isa && same_threads &&
      a.per_second > b.per_second * kSlack)
    return says("is faster than");
  static constexpr std::array<std::string_view, 3> kWidths{"mma_tf32", "mma_f16", "mma_f8"};
  if (const int width = rank_of(a.kind, kWidths); width > 0)
    if (b.kind == kWidths[static_cast<std::size_t>(width) - 1] &&
        a.per_second * kSlack < b.per_second)
      return says("is slower than wider numbers,");
  return {};
}

struct Conflict {
  std::size_t a = 0;
  std::size_t b = 0;  ///< Equal to a: impossible by itself.
  std::string why;
};

std::vector<Conflict> conflicts_of(std::span<const Ceiling> ceilings, const GpuFacts* gpu) {
  std::vector<Conflict> out;
  std::vector<bool> is_impossible(ceilings.size());
  for (std::size_t i = 0; i < ceilings.size(); ++i) {
    std::string why = alone(ceilings[i], gpu);
    if (why.empty()) continue;
    is_impossible[i] = true;
    out.push_back({i, i, std::move(why)});
  }
  // A ceiling that is impossible by itself says nothing about other ceilings.
  for (std::size_t i = 0; i < ceilings.size(); ++i) {
    for (std::size_t j = 0; j < ceilings.size(); ++j) {
      if (i == j || is_impossible[i] || is_impossible[j]) continue;
      std::string why = between(ceilings[i], ceilings[j]);
      if (!why.empty()) out.push_back({i, j, std::move(why)});
    }
  }
  return out;
}

}  // namespace

bool is_reliable(const Ceiling& ceiling) { return ceiling.spread <= kMaxSpread; }

std::string describe(const Ceiling& c) {
  const bool is_gpu = device::capability_of(c.isa) > 0;
  const std::string threads =
      is_gpu ? "" : fmt::format(", {} thread{}", c.threads, c.threads == 1 ? "" : "s");
  if (is_flops(c))
    return fmt::format("{} {} {}{}", c.kind.substr(0, 3), c.kind.substr(4), c.isa, threads);
  const std::string mix = c.kind == "read"       ? "reads"
                          : c.kind == "write"    ? "writes"
                          : c.kind == "copy"     ? "read:write 1:1"
                          : c.kind == "triad"    ? "read:write 2:1"
                          : c.kind == "mix_3r1w" ? "read:write 3:1"
                                                 : c.kind;
  return fmt::format("{} {}{}", c.level, mix, threads);
}

std::vector<Doubt> implausible(std::span<const Ceiling> ceilings, const GpuFacts* gpu) {
  std::vector<std::string> why(ceilings.size());
  for (const Conflict& c : conflicts_of(ceilings, gpu)) {
    if (why[c.a].empty()) why[c.a] = c.why;
    if (why[c.b].empty()) why[c.b] = c.why;
  }
  std::vector<Doubt> doubts;
  for (std::size_t i = 0; i < why.size(); ++i)
    if (!why[i].empty()) doubts.push_back({i, std::move(why[i])});
  return doubts;
}

std::vector<Doubt> to_refuse(std::span<const Ceiling> ceilings, const GpuFacts* gpu) {
  std::vector<Conflict> conflicts = conflicts_of(ceilings, gpu);
  std::vector<Doubt> refused;
  while (!conflicts.empty()) {
    // A ceiling that is impossible by itself (it conflicts with itself) outweighs any number of
    // conflicts with others.
    std::vector<std::size_t> weight(ceilings.size());
    for (const Conflict& c : conflicts) {
      weight[c.a] += c.a == c.b ? ceilings.size() * ceilings.size() : 1;
      if (c.a != c.b) ++weight[c.b];
    }
    std::size_t worst = 0;
    for (std::size_t i = 1; i < weight.size(); ++i) {
      if (weight[i] > weight[worst] ||
          (weight[i] == weight[worst] && ceilings[i].spread > ceilings[worst].spread))
        worst = i;
    }
    const auto is_its = [&](const Conflict& c) { return c.a == worst || c.b == worst; };
    refused.push_back({worst, std::find_if(conflicts.begin(), conflicts.end(), is_its)->why});
    std::erase_if(conflicts, is_its);
  }
  return refused;
}

}  // namespace kw::profile
