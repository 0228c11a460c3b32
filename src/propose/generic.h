// Generic variants of a reference: what a careful programmer tries first on any nest of loops.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "record/task.h"

namespace kw::propose {

struct Variant {
  std::string name;
  std::string source;  ///< A self-contained source in the format of candidates.
  std::string why;
};

/// Variants of the reference: with `restrict`; with local accumulators where a loop adds to memory
/// (all later variants have them too); with simd and reductions; with threads over the first,
/// second or third loops; unrolled by a knob; with fast_math where the task allows it. Where no
/// loop may run in parallel: unrolling, and compiler options alone. Loops whose text shows that
/// iterations depend on each other, or that scatter, get no threads and no simd; the referee finds
/// what the text does not show. `reference` is the text of reference.cpp.
std::vector<Variant> generic_variants(const Task& task, const std::string& reference);

/// The reference with `omp parallel for` on its outermost loops that may run in parallel, the
/// baseline of tasks that ship no other; empty where no loop may run in parallel.
std::string parallel_form(const Task& task, const std::string& reference);

}  // namespace kw::propose
