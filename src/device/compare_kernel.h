// The inner loop of comparisons: one contiguous stretch of reals, vectorised by hand.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "device/cuda/half.cuh"
#include "device/device.h"

namespace kw::device {

/// Running totals of one piece; eight lanes, so that sums do not depend on the instruction set.
struct Totals {
  static constexpr int kLanes = 8;
  double max_abs_diff[kLanes] = {};
  double max_abs_truth[kLanes] = {};
  double sum_sq_diff[kLanes] = {};
  double sum_sq_truth[kLanes] = {};
  double sum_got[kLanes] = {};
  double sum_want[kLanes] = {};
  double worst_diff[kLanes] = {};  ///< The pair with the largest quotient.
  double worst_allowed[kLanes] = {1, 1, 1, 1, 1, 1, 1, 1};
  std::int64_t failed = 0;
};

/// True if every value of the stretch is finite; then `totals` has taken it in, else it is
/// unchanged and the caller looks at each element. `magnitude` may be null; a multiple of kLanes
/// elements.
bool accumulate(const float* got, const double* truth, const double* magnitude, std::size_t count,
                const Allowance& allowance, Totals& totals);
bool accumulate(const double* got, const double* truth, const double* magnitude, std::size_t count,
                const Allowance& allowance, Totals& totals);
bool accumulate(const Half* got, const double* truth, const double* magnitude, std::size_t count,
                const Allowance& allowance, Totals& totals);
bool accumulate(const BFloat* got, const double* truth, const double* magnitude, std::size_t count,
                const Allowance& allowance, Totals& totals);

}  // namespace kw::device
