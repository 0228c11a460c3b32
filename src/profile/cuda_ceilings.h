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

/// The trusted kernels of the ceilings, to be built for `arch` and given to Device::equip; the one
/// for wgmma on sm_90a alone. Building takes seconds: cache what comes out.
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

/// What a GPU of that arch can be measured at, in the order in which a roofline needs it.
std::vector<CudaPoint> cuda_points(const std::string& arch);

/// Bytes that a point touches: for DRAM 64 times the L2 (at least 256 MiB, at most a sixteenth of
/// the memory), so that hits do not count; for L2 a quarter of it, since each half may keep a copy
/// of what the other holds.
std::int64_t cuda_footprint(const DeviceFacts& facts, const std::string& level);

/// A launch of `steps` steps of the point's kernel on buffer 0 of at least `bytes` bytes, and the
/// bytes or flops that it is worth. On DRAM `steps` is 1, whatever is asked: every block has its
/// own piece.
struct CudaLaunch {
  Plan plan;
  double amount = 0;
};
CudaLaunch launch_of(const CudaPoint& point, const DeviceFacts& facts, std::int64_t bytes,
                     int steps);

/// Takes the device's lease for granted. Allocates cuda_footprint("DRAM") bytes, at most half of
/// what is free. Ceilings that are implausible or spread too much are measured once more and then
/// refused or named, as on a processor. Error: no memory, or a kernel that is missing or faults.
Result<CeilingReport> measure_cuda_ceilings(device::Device& device, Effort effort);

}  // namespace kw::profile
