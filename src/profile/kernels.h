// Our own microkernels: memory traffic of fixed read:write mixes and chains of FMAs, per vector
// width.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace kw::profile {

/// The arrays of one thread. `floats` is a multiple of kBlockFloats; each array is 64-byte aligned.
struct Streams {
  const float* a = nullptr;
  const float* b = nullptr;
  const float* c = nullptr;
  float* out = nullptr;
  std::size_t floats = 0;
};

/// Floats that one loop body takes of each array: four of the widest vectors.
inline constexpr std::size_t kBlockFloats = 64;

/// A kernel of memory traffic on arrays of n elements. Only elements that the program asks for
/// count, not those that a write-allocating cache reads in addition: read n; write n; copy n+n;
/// triad 2n+n; mix_3r1w 3n+n.
struct MemoryKernel {
  std::string_view kind;  ///< read | write | copy | triad | mix_3r1w
  int arrays_read = 0;    ///< Number of arrays read: a, then b, then c.
  int arrays_written = 0;
  bool bypasses_cache = false;  ///< True: non-temporal stores.
  void (*run)(const Streams& streams, std::size_t passes) = nullptr;

  int arrays() const { return arrays_read + arrays_written; }
  double reads() const { return static_cast<double>(arrays_read) / arrays(); }
};

/// Kernels for the widest vectors that this processor has.
std::vector<MemoryKernel> memory_kernels();

struct FmaKernel {
  std::string_view kind;  ///< fma_f32 | fma_f64
  std::string_view isa;   ///< scalar | sse | avx2 | avx512
  int flops_per_step = 0;
  void (*run)(long steps) = nullptr;
};

/// Kernels for every vector width that this processor has; on processors without FMA they multiply
/// and add.
std::vector<FmaKernel> fma_kernels();

}  // namespace kw::profile
