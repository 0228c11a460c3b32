// A workload as the truth of its task computes it.
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

/// Whether the plans of a role are of a truth, which sees its workload so.
inline bool is_truth_role(std::string_view role) {
  return role == "reference_fast" || role == "magnitude_fast";
}

}  // namespace kw
