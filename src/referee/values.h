// Tensor values in host memory, for explanations and for admission; never on the fast path.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "record/task.h"

namespace kw::referee {

/// Elements of a region, dense and row-major, as doubles.
Result<std::vector<double>> read_region(const device::Buffer& from, const Tensor& tensor,
                                        const Region& region);

/// Appends the values that these bytes hold.
void append_values(std::vector<double>& to, Dtype dtype, std::span<const std::byte> bytes);
/// Stores values as bytes of this type; reals are rounded to the nearest. `to` has room for exactly
/// these values.
void store_values(std::span<std::byte> to, Dtype dtype, std::span<const double> values);

/// A real rounded to the nearest value of the type; for integer types unchanged.
double to_type(double value, Dtype dtype);

/// Rounds to `bits` significant bits, to nearest even.
double rounded(double value, int bits);

/// Calls `visit(offset, length)` for every run of elements of the region that is contiguous in
/// memory; offsets in elements.
void for_each_run(const Tensor& tensor, const Region& region,
                  const std::function<void(std::int64_t, std::int64_t)>& visit);

/// Number of elements in the region.
std::int64_t elements_of(const Region& region);

/// The region that is the whole tensor.
Region whole(const Tensor& tensor);

}  // namespace kw::referee
