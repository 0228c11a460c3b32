// What one launch moved and computed at each level of memory, by its counters, against measured
// ceilings. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "record/device.h"
#include "record/evaluation.h"
#include "record/wording.h"

namespace kw::profile {

/// Operations of matrix units on one type of operands.
struct MatrixWork {
  std::string type;  ///< tf32 | bf16 | f16 | f8, as the kinds of ceilings have it.
  double flops = 0;
};

/// Bytes, operations and time of one launch, for a roofline at every level of memory; 0: unknown.
struct HierarchicalRoofline {
  double time_ns = 0;
  double flops = 0;                ///< f32 operations, without those of matrix units.
  std::vector<MatrixWork> matrix;  ///< One entry for each type that matrix units computed in.
  double l1_bytes = 0;
  double l2_bytes = 0;
  double dram_bytes = 0;
  double dram_reads = 0;  ///< Share of the DRAM bytes that was read.

  double matrix_flops() const;
  double all_flops() const { return flops + matrix_flops(); }
};
HierarchicalRoofline hierarchical_roofline(const KernelProfile& counters);

/// Words like "L1 8.00 GB at 8.00 TB/s (0.24 of shared memory's ceiling)" for each level, then the
/// operations per byte and the ceiling of the computing units. A share is given where `device` (may
/// be null) has the ceiling. L1 has no ceiling of its own, so the ceiling of shared memory, whose
/// data path it uses, takes its place. Empty where a counter of bytes or time is missing.
Wording words_of_levels(const HierarchicalRoofline& roofline, const DeviceFacts* device);

/// A level whose traffic reached its measured ceiling, with the share; empty name: none did.
struct BoundLevel {
  std::string name;  ///< L1 | L2 | DRAM
  double share = 0;
};
/// The level nearest to its ceiling, if it reaches a share of at least `least`.
BoundLevel bound_level(const HierarchicalRoofline& roofline, const DeviceFacts& device,
                       double least);

}  // namespace kw::profile
