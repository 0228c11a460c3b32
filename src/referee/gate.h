// The gates of a task as pure functions of a comparison's figures; docs/formats.md in code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "device/device.h"
#include "record/evaluation.h"
#include "record/task.h"

namespace kw::referee {

/// Figures of the truth in one region at one input set, and what the trusted baseline reached
/// there.
struct RegionTruth {
  std::int64_t count = 0;
  double max_abs = 0;
  double sum = 0;
  double sum_sq = 0;
  /// RMS error of the reference at the task's type. For f16 and bf16, in which no sums are formed,
  /// it is the error of rounding the truth once: rounding_rms().
  std::optional<double> baseline_rms;
  /// True if all inputs are whole numbers and the trusted baseline has not one bit wrong: then a
  /// sum that lacks a term, or has one twice, is off by a whole number.
  bool is_whole = false;
};

/// What each element may be off by. Integers are always exact. Sums under the `dot` gate have f32's
/// roundoff where the output is f16 or bf16. Elements that every order of summing gives exactly
/// (Workload::exact_below) may be off by less than half a unit.
device::Allowance allowance_of(const Gate& gate, const Tensor& tensor, const Workload& workload,
                               double max_abs_truth);
/// The allowance of the elements of one region of the truth; where the region is whole numbers, the
/// allowance is also below one half.
device::Allowance allowance_of(const Gate& gate, const Tensor& tensor, const Workload& workload,
                               const RegionTruth& truth);

/// Whether every real input of the workload is drawn as whole numbers.
bool has_whole_inputs(const Workload& workload);

/// True where the second gate applies: a baseline is known, the region has at least 256 elements,
/// and |mean| <= 0.1 RMS of the truth. There errors add up like random walks and the ratio of two
/// RMS errors is a steady figure; on one-signed or tiny outputs the ratio is luck.
bool is_zero_mean(const RegionTruth& truth);

/// Half a unit roundoff of the truth's RMS. Rounding to nearest gives 0.39 of a unit where
/// mantissas are spread evenly over the logarithm.
double rounding_rms(Dtype dtype, const RegionTruth& truth);

/// RMS error that the second gate allows: factor × the baseline's, which counts as at least half a
/// unit roundoff of the truth's RMS, so that nobody has to beat the rounding of the result itself.
/// A `relative` gate adds half a unit roundoff (f32's for the 16-bit types) of its scale, below
/// which the task says that errors do not count: far in the tail of an exponential, a well-rounded
/// argument alone is twenty units of a result that is nearly zero.
double allowed_rms(const Gate& gate, const Tensor& tensor, const RegionTruth& truth);

/// Judges one region by all gates of the task: says what failed (without workload and tensor), or
/// nothing if the region passes.
/// Worsens `accuracy` by what was seen. `whole`: every element was compared, which the second gate
/// needs.
std::optional<Evidence> judge_region(const Gate& gate, const Tensor& tensor,
                                     const RegionTruth& truth, const device::Comparison& seen,
                                     bool whole, Accuracy& accuracy);

}  // namespace kw::referee
