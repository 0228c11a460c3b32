// The workloads of a drafted task.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kw::task {

/// Size: of a tensor. Pitch: the distance between rows. Count: neither, as the number of steps.
enum class DimUse { Size, Pitch, Count };

struct DraftedDim {
  std::string name;
  DimUse use = DimUse::Size;
};

struct DraftedSizes {
  std::vector<DraftedDim> dims;
  std::ptrdiff_t work_rank = 0;    ///< Most sizes that multiply in the number of operations.
  std::ptrdiff_t tensor_rank = 0;  ///< Most dimensions of a tensor that vary.
};

/// shapes.yaml: check shapes of primes and neighbours of powers of two, and one timed workload for
/// each target. No two sizes of a workload are equal. On a processor the arrays are beyond its
/// caches; on a GPU they have some hundred MB, or some 10^9 turns of the innermost loop where these
/// are more.
std::string draft_shapes(const DraftedSizes& sizes);

}  // namespace kw::task
