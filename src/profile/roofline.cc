// The roofline model for one call, with the advice that goes with each bound.
// SPDX-License-Identifier: Apache-2.0
#include "profile/roofline.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "profile/plausible.h"

namespace kw::profile {
namespace {

// Starting and joining OpenMP threads costs 5 to 20 µs; below this, that is what is measured.
constexpr double kLaunchNs = 20'000;
// Below a quarter of the binding ceiling, the ceiling is not what limits.
constexpr double kFar = 0.25;
// From here on, the ceiling itself is what is left to lower.
constexpr double kNear = 0.85;
// A share of a cache that one program can count on.
constexpr double kUsable = 0.8;
// Ceilings and medians both carry noise.
constexpr double kAbove = 1.05;

// Mixes within this share of reads of a measured one are that one.
constexpr double kSameMix = 0.01;

bool serves(const Ceiling& c, const DeviceFacts& facts, const std::string& level) {
  return !c.kind.starts_with("fma") && c.level == level && c.threads == std::max(facts.cores, 1) &&
         c.per_second > 0;
}

struct Time {
  double ns = 0;
  std::string ceiling;
};

// Nanoseconds that the nominal traffic takes at least; nothing without ceilings.
std::optional<Time> memory_time(const Workload& workload, const DeviceFacts& facts, Caches caches) {
  const double bytes = static_cast<double>(workload.work.read_bytes) +
                       static_cast<double>(workload.work.write_bytes);
  if (bytes <= 0) return std::nullopt;
  const double reads = static_cast<double>(workload.work.read_bytes) / bytes;
  const std::string near = level_for(facts, workload.bytes());
  const auto far_ceiling = memory_ceiling(facts, "DRAM", reads);
  const auto near_ceiling = near == "DRAM" ? far_ceiling : memory_ceiling(facts, near, reads);
  const double first = caches == Caches::Warm && near != "DRAM" ? 0
                       : near == "DRAM"                         ? bytes
                                        : std::min(bytes, static_cast<double>(workload.bytes()));
  const double rest = bytes - first;
  if ((first > 0 && !far_ceiling) || (rest > 0 && !near_ceiling)) return std::nullopt;
  Time time;
  if (first > 0)
    time.ns += first / far_ceiling->per_second * 1e9, time.ceiling = far_ceiling->words;
  if (rest > 0) {
    time.ns += rest / near_ceiling->per_second * 1e9;
    time.ceiling += (first > 0 ? ", then " : "") + near_ceiling->words;
  }
  return time;
}

std::optional<Time> compute_time(const Workload& workload, const DeviceFacts& facts) {
  if (workload.work.flops <= 0) return std::nullopt;
  const std::string kind = compute_dtype(workload) == Dtype::F64 ? "fma_f64" : "fma_f32";
  const Ceiling* best = nullptr;
  for (const Ceiling& c : facts.ceilings)
    if (c.kind == kind && c.threads == std::max(facts.cores, 1) && c.per_second > 0 &&
        (best == nullptr || c.per_second > best->per_second))
      best = &c;
  if (best == nullptr) return std::nullopt;
  return Time{static_cast<double>(workload.work.flops) / best->per_second * 1e9, describe(*best)};
}

// "reads and writes of u (201 MB)": the tensor that most bytes can come from.
std::string largest_access(const Workload& workload) {
  const Tensor* largest = nullptr;
  for (const Tensor& t : workload.tensors)
    if (largest == nullptr || t.bytes() > largest->bytes()) largest = &t;
  if (largest == nullptr) return "the tensors";
  const char* what = largest->role == TensorRole::In    ? "reads of "
                     : largest->role == TensorRole::Out ? "writes of "
                                                        : "reads and writes of ";
  return what + largest->name + " (" + format_bytes(static_cast<std::uint64_t>(largest->bytes())) +
         ")";
}

std::string advice_for(const RooflinePosition& p, const Workload& workload, bool is_memory) {
  const std::string reached = fmt::format("{:.2f} of the ceiling", p.fraction);
  if (p.fraction > kAbove)
    return fmt::format(
        "Above the ceiling ({}): either it moves fewer bytes than the nominal count, by reuse "
        "across "
        "steps, or the ceiling was measured while the machine was busy.",
        p.ceiling);
  if (p.bound == Bound::Launch)
    return "The call is so short that starting threads and the first cache misses are what is "
           "measured: use fewer threads and fewer parallel regions.";
  const std::string access = largest_access(workload);
  if (p.bound == Bound::Latency)
    return fmt::format(
        "At {} ({}) neither memory nor arithmetic is near its limit: look for loops that are not "
        "vectorised, idle threads, dependent chains and scattered accesses; {} dominate.",
        reached, p.ceiling, access);
  const bool is_near = p.fraction >= kNear;
  if (is_memory)
    return fmt::format("Memory-bound at {} ({}): {} dominate; {}", reached, p.ceiling, access,
                       is_near ? "only moving fewer bytes can help now."
                               : "make them contiguous, touch each byte once, block so that reuse "
                                 "stays in cache, and share the work among all threads.");
  return fmt::format("Compute-bound at {} ({}): {}", reached, p.ceiling,
                     is_near ? "the FMA units are nearly full; only fewer operations help."
                             : "keep ten or more independent FMA chains in registers, block for "
                               "the nearest cache, and use the widest vectors.");
}

}  // namespace

std::optional<MixCeiling> memory_ceiling(const DeviceFacts& facts, const std::string& level,
                                         double reads) {
  const Ceiling* below = nullptr;
  const Ceiling* above = nullptr;
  for (const Ceiling& c : facts.ceilings) {
    if (!serves(c, facts, level)) continue;
    if (c.reads <= reads + kSameMix && (below == nullptr || c.reads > below->reads)) below = &c;
    if (c.reads >= reads - kSameMix && (above == nullptr || c.reads < above->reads)) above = &c;
  }
  if (below == nullptr && above == nullptr) return std::nullopt;
  const auto close = [&](const Ceiling* c) {
    return c != nullptr && std::abs(c->reads - reads) <= kSameMix;
  };
  if (close(below) || above == nullptr) return MixCeiling{below->per_second, describe(*below)};
  if (close(above) || below == nullptr) return MixCeiling{above->per_second, describe(*above)};
  const double t = (reads - below->reads) / (above->reads - below->reads);
  return MixCeiling{below->per_second + t * (above->per_second - below->per_second),
                    fmt::format("{} with {:.2f} reads, between {} and {}", level, reads,
                                describe(*below), describe(*above))};
}

std::string level_for(const DeviceFacts& facts, std::int64_t bytes) {
  const Cache* nearest = nullptr;
  for (const Cache& c : facts.caches) {
    const int shared = std::max(c.shared_by, 1);
    const int instances = (std::max(facts.cores, 1) + shared - 1) / shared;
    const double usable = kUsable * static_cast<double>(c.bytes) * instances;
    if (static_cast<double>(bytes) <= usable && (nearest == nullptr || c.level < nearest->level))
      nearest = &c;
  }
  return nearest == nullptr ? "DRAM" : fmt::format("L{}", nearest->level);
}

Dtype compute_dtype(const Workload& workload) {
  for (const Tensor& t : workload.tensors)
    if (t.role != TensorRole::In && t.dtype == Dtype::F64) return Dtype::F64;
  return Dtype::F32;
}

RooflinePosition position(const Workload& workload, double median_ns, const DeviceFacts& facts,
                          Caches caches) {
  RooflinePosition p;
  const auto memory = memory_time(workload, facts, caches);
  const auto compute = compute_time(workload, facts);
  if ((!memory && !compute) || !(median_ns > 0)) {
    p.advice = "No roofline: the ceilings, the nominal work or the time is missing.";
    return p;
  }
  const bool is_memory = memory && (!compute || memory->ns >= compute->ns);
  const Time& binding = is_memory ? *memory : *compute;
  const double amount = is_memory ? static_cast<double>(workload.work.read_bytes) +
                                        static_cast<double>(workload.work.write_bytes)
                                  : static_cast<double>(workload.work.flops);
  p.fraction = binding.ns / median_ns;
  p.ceiling_per_second = amount / binding.ns * 1e9;
  p.ceiling = binding.ceiling;
  p.bound = is_memory ? Bound::Memory : Bound::Compute;
  if (p.fraction < kFar) p.bound = median_ns < kLaunchNs ? Bound::Launch : Bound::Latency;
  p.advice = advice_for(p, workload, is_memory);
  return p;
}

bool needs_remeasuring(const RooflinePosition& position) { return position.fraction > kAbove; }

void fill_rates(WorkloadResult& result, const Work& work) {
  const double seconds = result.median_ns * 1e-9;
  const double bytes = static_cast<double>(work.read_bytes) + static_cast<double>(work.write_bytes);
  const double flops = static_cast<double>(work.flops);
  const auto per_second = [&](double amount) { return seconds > 0 ? amount / seconds : 0; };
  result.items_per_s = per_second(static_cast<double>(work.items));
  result.flops_per_s = per_second(flops);
  result.bytes_per_s = per_second(bytes);
  result.arithmetic_intensity = bytes > 0 ? flops / bytes : 0;
}

}  // namespace kw::profile
