// Tables of sizes by the number of dimensions that vary.
// SPDX-License-Identifier: Apache-2.0
#include "task/draft_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include "base/expr.h"
#include "base/text.h"

namespace kw::task {
namespace {

/// One workload; sizes are given to the dims in turn.
struct SizeRow {
  const char* group;
  const char* name;
  const char* target;  ///< The only target; empty: all of them.
  std::array<int, 3> sizes;
};

const std::vector<SizeRow> kRowsOfOne = {
    {"show", "small", "", {1000}},        {"check", "tiny", "", {3}},
    {"check", "below_power", "", {255}},  {"check", "power", "", {1024}},
    {"check", "above_power", "", {4097}}, {"check", "prime", "", {10007}},
    {"time", "large", "cpu", {4000037}},  {"time", "large_gpu", "cuda", {60000011}},
};

const std::vector<SizeRow> kRowsOfTwo = {
    {"show", "small", "", {40, 48}},         {"check", "tiny", "", {5, 3}},
    {"check", "below_power", "", {31, 63}},  {"check", "power", "", {64, 32}},
    {"check", "above_power", "", {65, 129}}, {"check", "prime", "", {127, 61}},
    {"time", "large", "cpu", {2039, 2053}},  {"time", "large_gpu", "cuda", {8209, 8219}},
};

/// Three dimensions of one tensor.
const std::vector<SizeRow> kRowsOfThree = {
    {"show", "small", "", {12, 16, 20}},       {"check", "tiny", "", {5, 3, 4}},
    {"check", "below_power", "", {15, 31, 7}}, {"check", "power", "", {32, 16, 8}},
    {"check", "above_power", "", {17, 33, 9}}, {"check", "prime", "", {29, 13, 61}},
    {"time", "large", "cpu", {251, 241, 257}}, {"time", "large_gpu", "cuda", {401, 397, 409}},
};

/// Three sizes of loops over tensors of two dimensions, as a product of matrices has them.
const std::vector<SizeRow> kRowsOfProducts = {
    {"show", "small", "", {12, 16, 20}},       {"check", "tiny", "", {5, 3, 4}},
    {"check", "below_power", "", {15, 31, 7}}, {"check", "power", "", {32, 16, 8}},
    {"check", "above_power", "", {17, 33, 9}}, {"check", "prime", "", {29, 13, 61}},
    {"time", "large", "cpu", {251, 241, 257}}, {"time", "large_gpu", "cuda", {1021, 1031, 1033}},
};

/// The row whose sizes special cases have.
constexpr std::string_view kSizesOfCases = "below_power";

/// Mean length of rows of different lengths.
constexpr int kEntriesOfRow = 5;
/// Numbers of steps: enough that code which leaves the steps out, or does one too many, differs.
constexpr int kFewestTurns = 20;
constexpr auto kTurns = std::to_array({23, 29, 20, 31, 37, 41});

constexpr std::int64_t kFewestOfWindow = 2;
constexpr std::int64_t kLeastStride = 2;
constexpr std::int64_t kFirstPlace = 1;

std::ptrdiff_t varied_dims(const DraftedSizes& sizes) {
  return std::ranges::count(sizes.dims, DimUse::Size, &DraftedDim::use);
}

std::ptrdiff_t rank_of(const DraftedSizes& sizes) {
  return std::clamp<std::ptrdiff_t>(
      std::max({varied_dims(sizes), sizes.work_rank, sizes.tensor_rank}), 1, 3);
}

const std::vector<SizeRow>& rows_for(const DraftedSizes& sizes) {
  const auto rank = rank_of(sizes);
  if (rank == 1) return kRowsOfOne;
  if (rank == 2) return kRowsOfTwo;
  return sizes.tensor_rank >= 3 ? kRowsOfThree : kRowsOfProducts;
}

const SizeRow& timed_row(const DraftedSizes& sizes, std::string_view target) {
  return *std::ranges::find_if(rows_for(sizes), [&](const SizeRow& row) {
    return std::string_view(row.group) == "time" && row.target == target;
  });
}

bool is_prime(std::int64_t n) {
  for (std::int64_t d = 2; d * d <= n; ++d)
    if (n % d == 0) return false;
  return n > 1;
}

/// The first prime from `least` on that is none of `taken`.
std::int64_t prime_from(std::int64_t least, const std::vector<std::int64_t>& taken) {
  while (!is_prime(least) || std::ranges::find(taken, least) != taken.end()) ++least;
  return least;
}

/// The row's sizes times the scale, as primes of which no two are alike; the sizes as they are at
/// scale 1.
std::array<std::int64_t, 3> scaled(const SizeRow& row, double scale) {
  constexpr double kLeast = 5;
  std::array<std::int64_t, 3> sizes{};
  std::vector<std::int64_t> taken;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (row.sizes[i] == 0) break;
    const double size = std::max(kLeast, std::floor(scale * row.sizes[i]));
    sizes[i] = scale == 1 ? row.sizes[i] : prime_from(static_cast<std::int64_t>(size), taken);
    taken.push_back(sizes[i]);
  }
  return sizes;
}

/// Numbers that are no sizes.
struct RowNumbers {
  std::int64_t turns = kFewestTurns;
  std::size_t number = 0;  ///< Of the row, by which flags get their values.
};

Names dims_of(const DraftedSizes& sizes, const std::array<std::int64_t, 3>& row,
              const RowNumbers& numbers = {}) {
  const auto rank = rank_of(sizes);
  const auto varied = varied_dims(sizes);
  const auto used = row.begin() + std::clamp<std::ptrdiff_t>(varied, 1, rank);
  const std::int64_t pitch = std::max<std::int64_t>(3, *std::max_element(row.begin(), used)) + 3;
  std::int64_t turns = numbers.turns;
  // Windows fit twice into the smallest size, where it has more than three elements.
  std::int64_t window = std::min(
      turns / 4, std::max<std::int64_t>(kFewestOfWindow, *std::min_element(row.begin(), used) / 2));
  std::int64_t stride = kLeastStride, place = kFirstPlace;
  Names dims;
  std::ptrdiff_t number = 0;
  std::size_t way = numbers.number;
  for (const DraftedDim& dim : sizes.dims) {
    // Every turn through the table adds a little, so that no two sizes are alike.
    const std::int64_t size = row[static_cast<std::size_t>(number % rank)] + number / rank;
    switch (dim.use) {
      case DimUse::Size:
        dims[dim.name] = size, ++number;
        break;
      case DimUse::Pitch:
        dims[dim.name] = pitch + varied / rank;
        break;
      case DimUse::Count:
        dims[dim.name] = turns++;
        break;
      case DimUse::Entries:
        dims[dim.name] = kEntriesOfRow * row[0] + 3;
        break;
      case DimUse::Window:
        dims[dim.name] = window++;
        break;
      case DimUse::Stride:
        dims[dim.name] = stride++;
        break;
      case DimUse::Place:
        dims[dim.name] = place++;
        break;
      case DimUse::Flag:
        dims[dim.name] = dim.values[way % dim.values.size()];
        way /= dim.values.size();  // so that flags do not change together
        break;
    }
  }
  const auto longer = dims.find(sizes.longer), shorter = dims.find(sizes.shorter);
  if (longer != dims.end() && shorter != dims.end()) {
    if (longer->second < shorter->second) std::swap(longer->second, shorter->second);
    const std::int64_t least = shorter->second + shorter->second / 4;
    if (longer->second < least) longer->second = prime_from(least, {});
  }
  return dims;
}

/// The value of an expression over the dims; 0 where it has none.
double value_of(const std::string& expression, const Names& dims) {
  const auto parsed = Expr::parse(expression);
  const auto value = parsed ? parsed->evaluate(dims) : std::unexpected(parsed.error());
  return value ? static_cast<double>(std::max<std::int64_t>(*value, 0)) : 0;
}

/// What a unit of a target does in a nanosecond.
struct Rates {
  double operations;
  double bytes;
};

double call_ns(const DraftedSizes& sizes, const Names& dims, const Rates& rates) {
  return std::max(value_of(sizes.operations, dims) / rates.operations,
                  value_of(sizes.bytes, dims) / rates.bytes);
}

/// The largest scale for which `fits` holds, to a few percent; `fits` holds below some scale.
double largest_scale(double most, const std::function<bool(double)>& fits) {
  double low = 1.0 / 1024, high = most;
  while (high / low > 1.02) {
    const double middle = std::sqrt(low * high);
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

constexpr double kMostBytes = 1 << 30;
constexpr double kMostScale = 64;

/// A last-level cache that most processors have no more than, and a part of it that fits all.
constexpr double kBeyondCaches = 64 << 20;
constexpr double kWithinCaches = 4 << 20;

double scale_for(const DraftedSizes& sizes, std::string_view target, const Rates& rates,
                 double wanted_ns) {
  const SizeRow& row = timed_row(sizes, target);
  return largest_scale(kMostScale, [&](double scale) {
    const Names dims = dims_of(sizes, scaled(row, scale));
    return call_ns(sizes, dims, rates) <= wanted_ns && value_of(sizes.bytes, dims) <= kMostBytes;
  });
}

/// Scales with a workload within the caches beside one whose arrays lie beyond them.
TimedScales with_cached(const DraftedSizes& sizes, TimedScales scales) {
  const SizeRow& row = timed_row(sizes, "cpu");
  const auto bytes = [&](double scale) {
    return value_of(sizes.bytes, dims_of(sizes, scaled(row, scale)));
  };
  scales.in_cache = 0;
  if (bytes(scales.processor) > kBeyondCaches)
    scales.in_cache = largest_scale(scales.processor,
                                    [&](double scale) { return bytes(scale) <= kWithinCaches; });
  return scales;
}

/// Scalars that depend on the sizes, as a part of the workload's line.
std::string scalars_text(const DraftedSizes& sizes, const Names& dims, const DraftedCase& special) {
  constexpr double kLowerShare = 0.625;  // of a span, below 0
  std::vector<std::string> parts;
  for (const auto& [scalar, value] : special.scalars)
    parts.push_back(fmt::format("{}: {}", scalar, value));
  for (const DraftedStep& step : sizes.steps) {
    const double turns = value_of(step.turns, dims);
    if (turns <= 0) continue;
    parts.push_back(fmt::format("{}: {:.4g}", step.name, step.span / turns));
    if (!step.origin.empty())
      parts.push_back(fmt::format("{}: {:g}", step.origin, -kLowerShare * step.span));
  }
  return parts.empty() ? "" : fmt::format(", scalars: {{ {} }}", join(parts, ", "));
}

std::string row_text(const DraftedSizes& sizes, const SizeRow& row, std::string_view name,
                     double scale, const RowNumbers& numbers = {},
                     const DraftedCase& special = {}) {
  std::string line = fmt::format("  - {{ name: {}", name);
  if (row.target[0] != '\0') line += fmt::format(", for: [{}]", row.target);
  const Names dims = dims_of(sizes, scaled(row, scale), numbers);
  for (const DraftedDim& dim : sizes.dims)
    line += fmt::format(", {}: {}", dim.name, dims.at(dim.name));
  line += scalars_text(sizes, dims, special);
  std::vector<std::string> values;
  for (const auto& [input, value] : special.values)
    values.push_back(fmt::format("{}: {}", input, value));
  if (!values.empty()) line += fmt::format(",\n      values: {{ {} }}", join(values, ", "));
  return line + " }\n";
}

/// Check workloads of the row's sizes for what plain noise does not reach.
std::string cases_text(const DraftedSizes& sizes, const SizeRow& row) {
  std::string text;
  for (const DraftedCase& special : sizes.cases) {
    if (!special.why.empty()) text += fmt::format("  # {}.\n", special.why);
    text += row_text(sizes, row, special.name, 1, {}, special);
  }
  return text;
}

}  // namespace

TimedScales counted_scales(const DraftedSizes& sizes) {
  constexpr Rates kCore{1, 8};
  constexpr Rates kGpu{500, 1000};
  TimedScales scales;
  scales.processor = scale_for(sizes, "cpu", kCore, kWantedCallNs);
  scales.gpu = scale_for(sizes, "cuda", kGpu, kWantedCallNs / 4);
  return with_cached(sizes, scales);
}

TimedScales rescaled(const DraftedSizes& sizes, const TimedScales& scales, double call_ns) {
  constexpr double kMostChange = 8;
  const double power =
      static_cast<double>(std::max<std::ptrdiff_t>({sizes.work_rank, sizes.tensor_rank, 1}));
  const double factor = std::pow(kWantedCallNs / std::max(call_ns, 1.0), 1 / power);
  TimedScales next = scales;
  next.processor *= std::clamp(factor, 1 / kMostChange, kMostChange);
  const SizeRow& row = timed_row(sizes, "cpu");
  next.processor = largest_scale(std::min(next.processor, kMostScale), [&](double scale) {
    return value_of(sizes.bytes, dims_of(sizes, scaled(row, scale))) <= kMostBytes;
  });
  return with_cached(sizes, next);
}

std::string draft_shapes(const DraftedSizes& sizes, const TimedScales& scales) {
  std::string text =
      "# Drafted: sizes with primes and neighbours of powers of two; add what is special here.\n";
  if (!sizes.steps.empty())
    text +=
        "# Scalars that the code multiplies by loop variables span a few units about 0 at each "
        "size.\n";
  if (std::ranges::any_of(sizes.dims, [](const auto& dim) { return dim.use == DimUse::Flag; }))
    text += "# What only chooses a way through the code takes each of its values in turn.\n";
  std::string group, cases;
  for (std::size_t number = 0; const SizeRow& row : rows_for(sizes)) {
    if (group == "check" && group != row.group) text += cases;
    if (group != row.group) text += fmt::format("{}:\n", group = row.group);
    if (row.name == kSizesOfCases) cases = cases_text(sizes, row);
    if (group != "time") {
      text += row_text(sizes, row, row.name, 1, {kTurns[number % kTurns.size()], number});
      ++number;
      continue;
    }
    const bool is_processor = std::string_view(row.target) == "cpu";
    text += row_text(sizes, row, row.name, is_processor ? scales.processor : scales.gpu);
    if (is_processor && scales.in_cache > 0)
      text += row_text(sizes, row, "in_cache", scales.in_cache);
  }
  return text;
}

}  // namespace kw::task
