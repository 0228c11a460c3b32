// What the workloads of a drafted task hold besides plain noise.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "task/c/function.h"
#include "task/draft_shapes.h"

namespace kw::task {

/// An input that may hold any numbers.
struct NoiseInput {
  std::string name;
  std::size_t rank = 1;
};

/// Adds to `sizes` what the code asks for: check workloads whose inputs are far from 0, partly 0 or
/// beyond the numbers with which the code compares them, and those with scalars of 0; scalars that
/// are steps from one point to the next; and which dims are flags, windows, their strides or
/// places. `source` is the text of the tokens.
void add_cases(DraftedSizes& sizes, const CFunction& function, std::string_view source,
               const std::vector<lex::Token>& tokens, std::span<const NoiseInput> inputs);

}  // namespace kw::task
