// Generic variants of a reference: what a careful programmer tries first on any loop nest.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "record/task.h"

namespace kw::propose {

struct Variant {
  std::string name;
  std::string source;  ///< Candidate format, self-contained.
  std::string why;
};

/// Variants: restrict, local accumulators where a loop adds to memory (and in all that follow),
/// simd with reductions, threads over outer, second and third loops, unrolled (a knob), and with
/// fast_math where the task allows it; where no loop may have threads, unrolling and the compiler's
/// options without. A loop whose iterations depend on each other, or scatter, gets no threads and
/// no simd, as far as its text tells; the referee finds out about the rest. `reference` is the text
/// of reference.cpp.
std::vector<Variant> generic_variants(const Task& task, const std::string& reference);

/// The plain `omp parallel for` form of the reference, the baseline of tasks that ship none; empty
/// where no loop of the reference may run in parallel.
std::string parallel_form(const Task& task, const std::string& reference);

}  // namespace kw::propose
