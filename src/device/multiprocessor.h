// What one multiprocessor of each GPU generation holds and does per clock, from public documents.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "record/device.h"

namespace kw::device {

/// Rates are fused multiply-adds (two flops) per clock; dense for matrix units, with f32 sums.
/// 0: the unit is missing or its rate unknown.
struct Multiprocessor {
  int capability = 0;  ///< Major times ten plus minor: 90.
  // Residence: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"; units
  // of allocation as in the occupancy calculator (cuda_occupancy.h of the toolkit).
  int warps = 0;
  int blocks = 0;
  int registers = 65536;
  int register_unit = 256;  ///< Registers are given to a warp in multiples of it.
  int partitions = 4;       ///< Schedulers, with a quarter of the registers each.
  std::int64_t shared_bytes = 0;
  std::int64_t shared_unit = 128;
  std::int64_t shared_reserved = 1024;  ///< Of each block, by the driver.
  // Rates: the same guide, "Arithmetic Instructions"; matrix units from NVIDIA's architecture
  // whitepapers (Turing, GA100, GA102, AD102, GH100).
  int fma_f32 = 0;
  int fma_f64 = 0;
  int fma_f16x2 = 0;  ///< Counting both halves.
  int mma_tf32 = 0;
  int mma_f16 = 0;  ///< And bf16, where there is one.
  int mma_f8 = 0;
  int shared_bytes_per_clock = 128;
};

/// Capability of an arch: "sm_90a" is 90, "sm_100" is 100; 0 where it is no such name.
int capability_of(std::string_view arch);

/// Nothing for generations that are not in the table.
std::optional<Multiprocessor> multiprocessor_of(std::string_view arch);

/// Bytes or flops per second that a GPU's units can do at its highest clock, by kind and level of a
/// Ceiling: DRAM by the width and clock of its bus (two transfers per clock), caches by what its
/// multiprocessors can take in. 0: unknown. What is measured stays below; nothing is claimed to
/// reach it.
double datasheet_rate(const GpuFacts& gpu, std::string_view kind, std::string_view level);

}  // namespace kw::device
