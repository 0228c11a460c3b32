// Edits of tensors on any device, through the worker's memory, in windows of some megabytes.
// Admission makes wrong answers and wrong inputs with them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/result.h"
#include "device/device.h"
#include "device/parallel.h"
#include "record/task.h"

namespace kw::referee {

/// Changes a run of elements in place; `first` is the row-major index, in the tensor, of the run's
/// first element. Called from several threads at once and in any order, unless there is only one
/// thread.
using Edit = std::function<void(std::int64_t first, std::span<double> values)>;

/// Whether the element with this row-major index is to be changed. Called from the same threads as
/// an Edit.
using Choice = std::function<bool(std::int64_t index)>;

/// Applies `how` to the elements of the region; results are rounded to the tensor's type. Returns
/// whether any value changed. Cost: the region is read and, where it changed, written.
Result<bool> edit(device::Parallel& parallel, device::Buffer& buffer, const Tensor& tensor,
                  const Region& region, const Edit& how);

/// Copies elements of `from`, a buffer of the same tensor, into the region: each element gets the
/// value at its own place in `from`, or the value `shift` elements before it in memory. Returns
/// whether any value changed. Precondition: no element of the region needs a value from outside the
/// tensor.
Result<bool> take(device::Parallel& parallel, device::Buffer& to, const device::Buffer& from,
                  const Tensor& tensor, const Region& region, std::int64_t shift = 0,
                  const Choice& chosen = {});

/// Gives every byte of the buffer this value.
Result<> fill_bytes(device::Buffer& to, int byte);

/// Element k of `to`, in memory order, becomes element k of `from`, which is repeated where it is
/// smaller; padding counts as elements.
Result<> fill_from(device::Buffer& to, const Tensor& tensor, const device::Buffer& from,
                   const Tensor& source);

/// Rounds the whole tensor to `bits` significant bits. Returns whether any value changed.
Result<bool> round_to(device::Parallel& parallel, device::Buffer& buffer, const Tensor& tensor,
                      int bits);

/// Whether two buffers of one tensor hold the same values in the region.
Result<bool> is_equal(device::Parallel& parallel, const device::Buffer& a, const device::Buffer& b,
                      const Tensor& tensor, const Region& region);

}  // namespace kw::referee
