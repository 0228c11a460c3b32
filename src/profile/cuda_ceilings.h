// Measures what a GPU can reach: memory per mix, L2, shared memory, FMA and matrix units.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "profile/ceilings.h"
#include "record/candidate.h"
#include "record/device.h"
#include "record/plan.h"

namespace kw::profile {

/// The trusted kernels of the ceilings, to be built for `arch` and given to Device::equip; on
/// sm_90a with those for wgmma. Building takes seconds, so the built units should be cached.
std::vector<BuildUnit> ceiling_units(const std::string& arch);

/// One ceiling to measure with one kernel. Where several kernels serve a ceiling, the best counts.
struct CudaPoint {
  std::string kind;    ///< Becomes Ceiling::kind.
  std::string level;   ///< Becomes Ceiling::level.
  std::string unit;    ///< BuildUnit::role.
  std::string kernel;  ///< The kernel's name in that unit.
  double reads = 0;    ///< Share of the bytes that are read; kinds of memory alone.
  int arrays_read = 0;
  int arrays_written = 0;
  double per_block_step = 0;  ///< Bytes or flops of one block in one step.
  int blocks_per_multiprocessor = 1;
};

/// The points that a GPU of this arch can be measured at, in the order in which a roofline needs
/// them.
std::vector<CudaPoint> cuda_points(const std::string& arch);

/// Bytes that a point touches: for DRAM 64 times the L2 (at least 256 MiB, at most a sixteenth of
/// the memory), so that hits do not count; for the L2 a quarter of its size, because each of its
/// halves may keep a copy of what the other holds.
std::int64_t cuda_footprint(const DeviceFacts& facts, const std::string& level);

/// A launch of `steps` steps of the point's kernel on buffer 0 of at least `bytes` bytes, and the
/// bytes or flops that the launch counts as. On DRAM `steps` is 1, whatever is asked for: every
/// block has its own piece.
struct CudaLaunch {
  Plan plan;
  double amount = 0;
};
CudaLaunch launch_of(const CudaPoint& point, const DeviceFacts& facts, std::int64_t bytes,
                     int steps);

/// Precondition: the caller holds the device's lease. Allocates cuda_footprint("DRAM") bytes, at
/// most half of what is free. Ceilings that are implausible or spread too much are measured once
/// more; those that are still implausible are refused, those that still spread are named. Error: no
/// memory, or a kernel that is missing or faults.
Result<CeilingReport> measure_cuda_ceilings(device::Device& device, Effort effort);

}  // namespace kw::profile
