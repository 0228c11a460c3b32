// The words of a drafted task: what a function computes, told from its comment and its code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "task/c_function.h"

namespace kw::task {

/// A tensor as the draft has it.
struct ToldTensor {
  std::string name;
  TensorRole role = TensorRole::In;
  std::vector<std::string> shape;
  bool is_read = false;  ///< Of an inout tensor: its elements are read, not only kept.
};

struct DraftedWords {
  std::string summary;  ///< One line.
  std::string details;  ///< Markdown without a title, for spec.md.
};

/// The comment that stands right above the function, unless it is a notice of a licence; then which
/// tensors are read and written; then every statement with the loops and conditions around it, and
/// over which loops a value is accumulated. What jumps (`break`, `return`, `switch` …) is named and
/// left to the reference. Nothing is guessed: each sentence says what the code says. Pure.
DraftedWords describe_function(std::string_view source, const std::vector<CodeToken>& tokens,
                               const CFunction& function, std::span<const ToldTensor> tensors);

}  // namespace kw::task
