// Chooses values for what special_cases() finds.
// SPDX-License-Identifier: Apache-2.0
#include "task/draft_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/text.h"
#include "task/c/cases.h"
#include "task/c/flags.h"
#include "task/c/polynomial.h"
#include "task/c/small_sizes.h"
#include "task/draft_values.h"

namespace kw::task {
namespace {

std::string line_of(std::string_view source, const std::vector<lex::Token>& tokens,
                    std::size_t token) {
  return fmt::format("line {}", position_of(source, tokens[token].offset).line);
}

/// Values on both sides of a number and of its negative; any of narrow integers.
std::string values_beyond(double number, Dtype dtype) {
  if (is_real(dtype))
    return fmt::format("{{ kind: uniform, lo: {0:g}, hi: {1:g} }}", -2 * number, 2 * number);
  constexpr double kMost = 20'000;  // of which int holds products
  const DtypeRow row = row_of(dtype);
  const auto limit = static_cast<std::int64_t>(2 * std::min(number, kMost));
  const bool is_narrow = size_of(dtype) < 4;
  return fmt::format("{{ kind: integers, lo: {}, hi: {} }}",
                     is_narrow ? row.lowest : std::max(row.lowest, -limit),
                     is_narrow ? static_cast<std::int64_t>(row.highest) : limit);
}

}  // namespace

void add_cases(DraftedSizes& sizes, const CFunction& function, std::string_view source,
               const std::vector<lex::Token>& tokens, std::span<const NoiseInput> inputs) {
  const SpecialCases found = special_cases(function, tokens, number_macros(source));
  const auto flags = flags_of(function, tokens);
  for (DraftedDim& dim : sizes.dims)
    if (const auto flag = flags.find(dim.name); flag != flags.end() && dim.use == DimUse::Count)
      dim = {dim.name, DimUse::Flag, flag->second};
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
    if (!is_real(function.find(input.name)->dtype)) continue;
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
  DraftedCase beyond;
  for (const NoiseInput& input : inputs) {
    const auto limit = found.limits.find(input.name);
    if (limit == found.limits.end()) continue;
    beyond.values[input.name] = values_beyond(limit->second.size, function.find(input.name)->dtype);
    if (beyond.why.empty())
      beyond.why = fmt::format("Other values do not reach {:g}, with which the code compares ({})",
                               limit->second.size, line_of(source, tokens, limit->second.token));
  }
  beyond.name = "beyond_limits";
  far.name = "far_from_zero", rows.name = "zero_rows", columns.name = "zero_columns";
  zeros.name = "zeros";
  rows.why = std::exchange(zeros.why, rows.values.empty() ? zeros.why : std::string());
  for (DraftedCase* one : {&far, &rows, &columns, &zeros, &beyond})
    if (!one->values.empty()) sizes.cases.push_back(std::move(*one));
  for (const auto& [scalar, token] : found.zeros) {
    const bool is_step = std::ranges::any_of(found.steps, [&](const auto& step) {
      return step.name == scalar || step.origin == scalar;
    });
    if (!is_step)
      sizes.cases.push_back(
          {scalar + "_is_0",
           fmt::format("The code tells {} from 0 ({})", scalar, line_of(source, tokens, token)),
           {},
           {{scalar, "0"}}});
  }
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
