// Values of scalars and counts of work in a drafted task.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "task/c/function.h"

namespace kw::task {

/// Whether the function neither divides nor takes logarithms or powers, so that zeros as input
/// cause no infinities.
bool is_safe_for_zeros(const CFunction& function, const std::vector<lex::Token>& tokens);

/// Whether a body takes no root, logarithm or power, which negative numbers may not have.
bool takes_negative_numbers(const CFunction& function, const std::vector<lex::Token>& tokens);

/// The value of each scalar that is not a dim, by name. Those of real scalars are exact in every
/// type, neither 0 nor 1, and no two are alike, so that swapping two of them or leaving one out
/// shows. Where the code takes the difference of two, or their names are those of the ends of a
/// range, the first is less than the second.
std::map<std::string, std::string> scalar_values(const CFunction& function,
                                                 const std::vector<lex::Token>& tokens,
                                                 const std::set<std::string>& calculated);

/// The tensor for which values are chosen.
struct ValuedTensor {
  const CParameter& parameter;
  const std::vector<std::string>& shape;
  bool is_lone = false;  ///< All is summed into one element.
};

/// The lines of YAML that give an input its values, with a comment that says by which line of the
/// code they were chosen: values that no part of the code can do without, and with which nothing
/// overflows, divides by zero or leaves its array.
std::string drafted_values(const ValuedTensor& tensor, const CFunction& function,
                           const ElementBounds& elements, std::string_view source,
                           const std::vector<lex::Token>& tokens);

/// Whether the code bears any numbers in the input: it is drawn as plain noise of real numbers, or
/// as integers that are small only so that sums and products of them stay within their type.
bool is_noise(const ValuedTensor& tensor, const CFunction& function, const ElementBounds& elements,
              std::string_view source, const std::vector<lex::Token>& tokens);

/// What a kernel may rely on about the values of an input, as the end of a sentence that begins
/// with its name: "never decreases …"; empty: that they are finite, and nothing else.
std::string drafted_promise(const ValuedTensor& tensor, const CFunction& function,
                            const ElementBounds& elements, std::string_view source,
                            const std::vector<lex::Token>& tokens);

/// What spec.md tells about the values of one input.
struct ToldValues {
  std::string name;
  std::string promise;      ///< As drafted_promise().
  bool is_planted = false;  ///< Timed workloads have lines of two elements in it.
};

/// Paragraphs about the values of inputs; empty: they are plain noise.
std::string values_words(std::span<const ToldValues> inputs);

/// The elements of one tensor, with the bytes of each.
struct SizedElements {
  std::int64_t bytes = 1;
  std::vector<std::string> shape;
};

/// The sum of the tensors' bytes as an expression, equal products taken together.
std::string total_bytes(std::span<const SizedElements> tensors);

}  // namespace kw::task
