// at_double(): a workload as seen by the float64 code that computes the truth (the reference
// values) of its task.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "record/task.h"

namespace kw {

/// The workload with its real tensors and scalars as float64.
inline Workload at_double(Workload workload) {
  for (Tensor& tensor : workload.tensors)
    if (is_real(tensor.dtype)) tensor.dtype = Dtype::F64;
  for (Scalar& scalar : workload.scalars)
    if (is_real(scalar.dtype)) scalar.dtype = Dtype::F64;
  return workload;
}

/// Whether build units of this role compute the truth (the reference values) of a task, for which
/// at_double() gives their workload.
inline bool is_truth_role(std::string_view role) {
  return role == "reference_fast" || role == "magnitude_fast";
}

}  // namespace kw
