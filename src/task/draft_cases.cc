// Chooses values for what special_cases() finds.
// SPDX-License-Identifier: Apache-2.0
#include "task/draft_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "task/c/cases.h"
#include "task/c/polynomial.h"
#include "task/c/windows.h"
#include "task/draft_values.h"

namespace kw::task {
namespace {

std::string line_of(std::string_view source, const std::vector<lex::Token>& tokens,
                    std::size_t token) {
  return fmt::format("line {}", position_of(source, tokens[token].offset).line);
}

}  // namespace

void add_cases(DraftedSizes& sizes, const CFunction& function, std::string_view source,
               const std::vector<lex::Token>& tokens, std::span<const NoiseInput> inputs) {
  const SpecialCases found = special_cases(function, tokens);
  sizes.longer = found.length_of_columns, sizes.shorter = found.number_of_columns;
  const SmallSizes small = small_sizes(function, tokens);
  const auto is_size = [sizes](const std::string& name) {
    return std::ranges::any_of(sizes.dims, [&](const DraftedDim& dim) {
      return dim.name == name && dim.use == DimUse::Size;
    });
  };
  for (DraftedDim& dim : sizes.dims) {
    if (dim.use != DimUse::Size && dim.use != DimUse::Count) continue;
    const auto window = small.windows.find(dim.name);
    if (window != small.windows.end() && is_size(window->second)) dim.use = DimUse::Window;
    // A size that divides a sum, as in a mean, is none.
    if (dim.use == DimUse::Count && small.strides.contains(dim.name)) dim.use = DimUse::Stride;
    if (small.places.contains(dim.name)) dim.use = DimUse::Place;
  }
  DraftedCase far, rows, columns, zeros;
  for (const NoiseInput& input : inputs) {
    if (const auto shifted = found.shifted.find(input.name); shifted != found.shifted.end()) {
      // exp() overflows beyond 88 in f32 and beyond 709 in f64.
      const bool is_double = function.find(input.name)->dtype == Dtype::F64;
      far.values[input.name] =
          fmt::format("{{ kind: normal, mean: {}, std: 3 }}", is_double ? 1000 : 200);
      if (far.why.empty())
        far.why = fmt::format("exp() of these overflows unless the code subtracts first ({})",
                              line_of(source, tokens, shifted->second));
    }
    const auto threshold = found.thresholds.find(input.name);
    if (threshold == found.thresholds.end()) continue;
    const auto lines = [&](std::size_t over) {
      return fmt::format("{{ kind: planted, std: 1, over: {}, share: 0.25, value: 0 }}", over);
    };
    if (input.rank > 1) {
      rows.values[input.name] = lines(input.rank - 1);
      columns.values[input.name] = lines(0);
    }
    zeros.values[input.name] = "{ kind: zero }";
    if (zeros.why.empty())
      zeros.why =
          fmt::format("Some or all sums are 0, because the code tells small ones from others ({})",
                      line_of(source, tokens, threshold->second));
  }
  far.name = "far_from_zero", rows.name = "zero_rows", columns.name = "zero_columns";
  zeros.name = "zeros";
  rows.why = std::exchange(zeros.why, rows.values.empty() ? zeros.why : std::string());
  for (DraftedCase* one : {&far, &rows, &columns, &zeros})
    if (!one->values.empty()) sizes.cases.push_back(std::move(*one));
  // Points that lie apart by a few units in all, about 0: neither alike nor far away.
  double span = 3;
  for (const StepScalar& step : found.steps) {
    const bool has_origin = !step.origin.empty() && takes_negative_numbers(function, tokens);
    sizes.steps.push_back(
        {step.name, to_expression(step.turns), span, has_origin ? step.origin : std::string()});
    span = span > 1 ? span - 0.5 : span / 2;
  }
}

}  // namespace kw::task
