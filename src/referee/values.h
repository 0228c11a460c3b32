// Tensor values in host memory: read for explaining, written for admission. Never on the fast path.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "record/task.h"

namespace kw::referee {

/// Elements of a region, dense and row-major, as doubles.
Result<std::vector<double>> read_region(const device::Buffer& from, const Tensor& tensor,
                                        const Region& region);

/// All elements of the tensor in memory order, padding included, as doubles.
Result<std::vector<double>> read_all(const device::Buffer& from, const Tensor& tensor);
/// The opposite; values are rounded to the tensor's type.
Result<> write_all(device::Buffer& to, const Tensor& tensor, const std::vector<double>& values);

/// A real as the type holds it, to the nearest; at integer types as it is.
double to_type(double value, Dtype dtype);

/// Calls `visit(offset, length)` for every run of elements of the region that is contiguous in
/// memory; offsets in elements.
void for_each_run(const Tensor& tensor, const Region& region,
                  const std::function<void(std::int64_t, std::int64_t)>& visit);

/// How many elements the region holds.
std::int64_t elements_of(const Region& region);

/// The region that is the whole tensor.
Region whole(const Tensor& tensor);

}  // namespace kw::referee
