// The inner loop of comparisons on one contiguous stretch of reals, vectorised by hand.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "device/cuda/half.cuh"
#include "device/device.h"

namespace kw::device {

/// Running totals of one piece, in eight lanes, so that sums do not depend on the instruction set.
struct Totals {
  static constexpr int kLanes = 8;
  double max_abs_diff[kLanes] = {};
  double max_abs_truth[kLanes] = {};
  double sum_sq_diff[kLanes] = {};
  double sum_sq_truth[kLanes] = {};
  double sum_got[kLanes] = {};
  double sum_want[kLanes] = {};
  /// In each lane, the deviation and the allowed deviation of the element with the largest quotient
  /// of the two.
  double worst_diff[kLanes] = {};
  double worst_allowed[kLanes] = {1, 1, 1, 1, 1, 1, 1, 1};
  std::int64_t failed = 0;
};

/// If every value of the stretch is finite, adds the stretch to `totals` and returns true; else
/// leaves `totals` unchanged, and the caller looks at each element. `magnitude` may be null;
/// `count` is a multiple of kLanes.
bool accumulate(const float* got, const double* truth, const double* magnitude, std::size_t count,
                const Allowance& allowance, Totals& totals);
bool accumulate(const double* got, const double* truth, const double* magnitude, std::size_t count,
                const Allowance& allowance, Totals& totals);
bool accumulate(const Half* got, const double* truth, const double* magnitude, std::size_t count,
                const Allowance& allowance, Totals& totals);
bool accumulate(const BFloat* got, const double* truth, const double* magnitude, std::size_t count,
                const Allowance& allowance, Totals& totals);

}  // namespace kw::device
