// What one multiprocessor of each GPU generation holds and does per clock, from public documents.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "record/device.h"

namespace kw::device {

/// Figures of one multiprocessor. Rates are fused multiply-adds (two flops) per clock, for matrix
/// units dense and with f32 sums; 0: the unit is missing or its rate unknown.
struct Multiprocessor {
  int capability = 0;  ///< Major times ten plus minor: 90.
  // Sizes, from the CUDA C++ Programming Guide, "Technical Specifications per Compute Capability";
  // units of allocation from the occupancy calculator (cuda_occupancy.h of the toolkit).
  int warps = 0;
  int blocks = 0;
  int registers = 65536;
  int register_unit = 256;  ///< A warp gets registers in multiples of this.
  int partitions = 4;       ///< Number of schedulers, each with its part of the registers.
  std::int64_t shared_bytes = 0;
  std::int64_t shared_unit = 128;
  std::int64_t shared_reserved = 1024;  ///< Bytes of each block that the driver takes.
  // Rates, from the CUDA C++ Programming Guide, "Arithmetic Instructions"; those of matrix units
  // from NVIDIA's architecture whitepapers (Turing, GA100, GA102, AD102, GH100).
  int fma_f32 = 0;
  int fma_f64 = 0;
  int fma_f16x2 = 0;  ///< Counts both halves.
  int mma_tf32 = 0;
  int mma_f16 = 0;  ///< Also the rate of bf16, where there is one.
  int mma_f8 = 0;
  int shared_bytes_per_clock = 128;
};

/// Capability of an architecture: 90 for "sm_90a", 100 for "sm_100"; 0 if the name is not valid.
int capability_of(std::string_view arch);

/// Figures for an architecture; nothing for generations that are not in the table.
std::optional<Multiprocessor> multiprocessor_of(std::string_view arch);

/// Rate in bytes or flops per second that a GPU's units can reach at its highest clock, for the
/// kind and level of a Ceiling: DRAM by the width and clock of its bus (two transfers per clock),
/// caches by what the multiprocessors can take in. 0: unknown. An upper bound: measured rates stay
/// below.
double datasheet_rate(const GpuFacts& gpu, std::string_view kind, std::string_view level);

}  // namespace kw::device
