// The table of families whose kernels hold a part of another family's kernels.
// SPDX-License-Identifier: Apache-2.0
#include "memory/kin.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kw::memory {
namespace {

// The first family is what a kernel was written for, the second what its parts serve as well.
// Pairs that only look alike are not here: a softmax inside attention does not help a product, and
// a sum of rows has neither the tables of a histogram nor the rows of a normalization.
constexpr std::pair<std::string_view, std::string_view> kServes[] = {
    {"matmul", "convolution"},  // the product of filters and windows
    {"matmul", "attention"},    // its two products
    {"convolution", "matmul"},  // the same product behind another packing
    {"reduction", "scan"},      // sums of blocks, of rows that threads share
};

}  // namespace

bool serves(std::string_view family, std::string_view other) {
  return std::find(std::begin(kServes), std::end(kServes), std::pair(family, other)) !=
         std::end(kServes);
}

}  // namespace kw::memory
