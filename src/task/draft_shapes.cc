// Tables of sizes by the number of dimensions that vary.
// SPDX-License-Identifier: Apache-2.0
#include "task/draft_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

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

}  // namespace

std::string draft_shapes(const DraftedSizes& sizes) {
  const auto varied = std::ranges::count(sizes.dims, DimUse::Size, &DraftedDim::use);
  const auto rank =
      std::clamp<std::ptrdiff_t>(std::max({varied, sizes.work_rank, sizes.tensor_rank}), 1, 3);
  const std::vector<SizeRow>& rows = rank == 1                ? kRowsOfOne
                                     : rank == 2              ? kRowsOfTwo
                                     : sizes.tensor_rank >= 3 ? kRowsOfThree
                                                              : kRowsOfProducts;
  std::string text =
      "# Drafted: sizes with primes and neighbours of powers of two; add what is special here.\n";
  std::string group;
  for (const SizeRow& row : rows) {
    if (group != row.group) text += fmt::format("{}:\n", group = row.group);
    std::string line = fmt::format("  - {{ name: {}", row.name);
    if (row.target[0] != '\0') line += fmt::format(", for: [{}]", row.target);
    const auto used = row.sizes.begin() + std::clamp<std::ptrdiff_t>(varied, 1, rank);
    const int pitch = std::max(3, *std::max_element(row.sizes.begin(), used)) + 3;
    std::ptrdiff_t number = 0;
    for (const DraftedDim& dim : sizes.dims) {
      const auto place = static_cast<std::size_t>(number % rank);
      // Every turn through the table adds a little, so that no two sizes are alike.
      const int size = row.sizes[place] + static_cast<int>(number / rank);
      if (dim.use == DimUse::Size) ++number;
      line += fmt::format(", {}: {}", dim.name,
                          dim.use == DimUse::Pitch   ? pitch + static_cast<int>(varied / rank)
                          : dim.use == DimUse::Count ? 3
                                                     : size);
    }
    text += line + " }\n";
  }
  return text;
}

}  // namespace kw::task
