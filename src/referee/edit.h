// Edits of tensors on any device, through the worker's memory, a window of some megabytes at a
// time: how admission makes wrong answers and wrong inputs.
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

/// Changes a run of elements; `first` is the row-major index, in the tensor, of the first of them.
/// Called for several runs at once, in no order, unless there is one thread.
using Edit = std::function<void(std::int64_t first, std::span<double> values)>;

/// Whether an element is meant, by its row-major index. Called as an Edit is.
using Choice = std::function<bool(std::int64_t index)>;

/// Applies `how` to the elements of the region; what it leaves is rounded to the tensor's type.
/// Says whether any value changed. Cost: the region is read and, where it changed, written.
Result<bool> edit(device::Parallel& parallel, device::Buffer& buffer, const Tensor& tensor,
                  const Region& region, const Edit& how);

/// Puts elements of `from`, a buffer of the same tensor, into the region: at each place the one of
/// that place, or the one that lies `shift` elements before it in memory. Says whether any value
/// changed. Precondition: no place of the region asks for an element outside the tensor.
Result<bool> take(device::Parallel& parallel, device::Buffer& to, const device::Buffer& from,
                  const Tensor& tensor, const Region& region, std::int64_t shift = 0,
                  const Choice& chosen = {});

/// Element k of `to`, in the order of memory, becomes element k of `from`, round and round where
/// `from` is smaller; padding counts as elements.
Result<> fill_from(device::Buffer& to, const Tensor& tensor, const device::Buffer& from,
                   const Tensor& source);

/// Rounds the whole tensor to `bits` significant bits. Says whether any value changed.
Result<bool> round_to(device::Parallel& parallel, device::Buffer& buffer, const Tensor& tensor,
                      int bits);

/// Whether two buffers of one tensor hold the same values in the region.
Result<bool> is_equal(device::Parallel& parallel, const device::Buffer& a, const device::Buffer& b,
                      const Tensor& tensor, const Region& region);

}  // namespace kw::referee
