// Computes occupancy and waves by documented rules.
// SPDX-License-Identifier: Apache-2.0
#include "profile/occupancy.h"

#include <algorithm>
#include <limits>

namespace kw::profile {
namespace {

constexpr int kWarp = 32;
constexpr int kMostRegisters = 255;  // The most of one thread, since compute capability 3.5.
constexpr int kUnlimited = std::numeric_limits<int>::max();

template <class T>
T round_up(T value, T unit) {
  return (value + unit - 1) / unit * unit;
}

int by_registers(const device::Multiprocessor& m, int registers, int warps) {
  if (registers <= 0) return kUnlimited;
  const int per_warp = round_up(registers * kWarp, m.register_unit);
  // A block's registers are checked as if its warps filled all partitions alike.
  if (registers > kMostRegisters || per_warp * round_up(warps, m.partitions) > m.registers)
    return 0;
  return m.registers / m.partitions / per_warp * m.partitions / warps;
}

}  // namespace

Occupancy occupancy_of(const device::Multiprocessor& m, const BlockNeeds& needs) {
  Occupancy o;
  if (needs.threads <= 0 || m.warps <= 0) return o;
  const int warps = (needs.threads + kWarp - 1) / kWarp;
  const std::int64_t shared = round_up(needs.shared_bytes + m.shared_reserved, m.shared_unit);
  const std::int64_t by_shared = shared > 0 ? m.shared_bytes / shared : kUnlimited;
  o.allowed = {m.warps / warps, m.blocks, by_registers(m, needs.registers, warps),
               static_cast<int>(std::min<std::int64_t>(by_shared, kUnlimited))};
  const auto least = std::min_element(o.allowed.begin(), o.allowed.end());
  o.limit = static_cast<OccupancyLimit>(least - o.allowed.begin());
  o.blocks = *least;
  o.warps = o.blocks * warps;
  o.share = static_cast<double>(o.warps) / m.warps;
  return o;
}

Waves waves_of(std::int64_t grid_blocks, int multiprocessors, int blocks_per_multiprocessor) {
  Waves w;
  const std::int64_t places = std::int64_t{multiprocessors} * blocks_per_multiprocessor;
  if (grid_blocks <= 0 || places <= 0) return w;
  w.full = grid_blocks / places;
  const std::int64_t left = grid_blocks % places;
  w.tail = static_cast<double>(left) / static_cast<double>(places);
  const std::int64_t waves = w.full + (left > 0 ? 1 : 0);
  w.efficiency = static_cast<double>(grid_blocks) / static_cast<double>(waves * places);
  return w;
}

}  // namespace kw::profile
