// The physics floor: how long the work that every algorithm must do takes at generous limits.
// SPDX-License-Identifier: Apache-2.0
#include "referee/plausible.h"

#include <algorithm>
#include <string>

#include "device/known_devices.h"

namespace kw::referee {
namespace {

constexpr double kGenerous = 1.5;  // measured ceilings may be below the machine's limits

double best_rate(const DeviceFacts& facts, bool flops, const std::string& level) {
  double best = 0;
  for (const Ceiling& ceiling : facts.ceilings)
    if (ceiling.kind.starts_with("fma") == flops && (level.empty() || ceiling.level == level))
      best = std::max(best, ceiling.per_second);
  return best * kGenerous;
}

/// Operations of one multiprocessor in one clock, for devices that no table knows: twice what
/// matrix units of 2024 do on 8-bit numbers (B200: about 15,500 dense).
constexpr double kMostPerClock = 16384;
constexpr double kTransfersPerClock = 2;  // memory transfers twice per clock (double data rate)

struct GpuRates {
  double bytes = 0;
  double flops = 0;
  std::string source;
};

GpuRates rates_of(const DeviceFacts& facts) {
  const GpuFacts& gpu = facts.gpu.front();
  GpuRates rates;
  rates.bytes = gpu.memory_clock_hz * gpu.memory_bus_bits / 8 * kTransfersPerClock;
  const device::KnownDevice* known = device::find_known_device(facts.model);
  if (known == nullptr) {
    rates.flops = gpu.clock_hz * gpu.multiprocessors * kMostPerClock;
    rates.source = "what the device's clocks and memory bus allow";
    return rates;
  }
  const DatasheetRates& sheet = known->rates;
  rates.bytes = std::max(rates.bytes, sheet.memory);
  rates.flops = std::max({sheet.f64, sheet.f64_matrix, sheet.f32, sheet.tf32, sheet.f16, sheet.f8});
  rates.source = sheet.source;
  return rates;
}

std::optional<double> least_on_gpu(const Workload& workload, const DeviceFacts& facts) {
  const GpuRates rates = rates_of(facts);
  if (rates.bytes <= 0 || rates.flops <= 0) return std::nullopt;
  const auto beyond_cache =
      static_cast<double>(workload.work.floor_bytes - facts.gpu.front().l2_bytes);
  return std::max(beyond_cache / rates.bytes,
                  static_cast<double>(workload.work.floor_flops) / rates.flops) *
         1e9;
}

}  // namespace

std::optional<double> compute_least_ns(const Workload& workload, const DeviceFacts& facts) {
  if (!facts.gpu.empty()) return least_on_gpu(workload, facts);
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

std::optional<Evidence> find_implausible(const Workload& workload, double median_ns,
                                         const DeviceFacts& facts, double trusted_ns) {
  auto least = compute_least_ns(workload, facts);
  if (least && facts.gpu.empty() && trusted_ns > 0)
    least = std::min(*least, trusted_ns / kGenerous);
  if (!least || median_ns >= *least) return std::nullopt;
  return Evidence{.kind = EvidenceKind::TooFast,
                  .workload = workload.name,
                  .subject = facts.gpu.empty()
                                 ? "1.5 times the best ceilings measured on this device"
                                 : rates_of(facts).source,
                  .numbers = {median_ns, static_cast<double>(workload.work.floor_bytes),
                              static_cast<double>(workload.work.floor_flops), *least}};
}

}  // namespace kw::referee
