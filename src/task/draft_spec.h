// Writes the description of a drafted task: what a function computes, as its comment and its code
// say.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/enums.h"
#include "task/c/function.h"

namespace kw::task {

/// A tensor of a drafted task, for its description.
struct ToldTensor {
  std::string name;
  TensorRole role = TensorRole::In;
  std::vector<std::string> shape;
  bool is_read = false;  ///< Whether elements are read; an inout tensor may only keep them.
};

struct DraftedWords {
  std::string summary;  ///< One line.
  std::string details;  ///< Markdown without a title, for spec.md.
};

/// Describes the function in this order: the comment right above it, unless that is a licence
/// notice; which tensors are read and written; the loops and conditions as they are nested, with
/// every statement in its place and the loops over which a value is accumulated. Jumps (`break`,
/// `return`, `switch` …) are only named, with a hint to the reference. Nothing is guessed: each
/// sentence follows from the code. No side effects.
DraftedWords describe_function(std::string_view source, const std::vector<lex::Token>& tokens,
                               const CFunction& function, std::span<const ToldTensor> tensors);

}  // namespace kw::task
