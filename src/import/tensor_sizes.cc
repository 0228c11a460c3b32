// Finds sizes of tensors in the shapes of a task.
// SPDX-License-Identifier: Apache-2.0
#include "import/tensor_sizes.h"

#include <algorithm>
#include <charconv>

namespace kw::import {

bool is_silent(const task::Definition& task, const std::string& dim) {
  return !task.workloads.empty() &&
         std::ranges::all_of(task.workloads, [&](const task::WorkloadSpec& workload) {
           Names names = workload.dims;
           for (const task::Let& let : task.lets)
             if (const auto known = let.value.expr.evaluate(names)) names[let.name] = *known;
           const auto value = names.find(dim);
           return value != names.end() && value->second == 1;
         });
}

std::int64_t silent_dims(const task::Definition& task, const task::TensorSpec& spec) {
  std::int64_t count = 0;
  for (const task::Formula& extent : spec.shape) {
    if (!is_silent(task, extent.expr.text())) break;
    ++count;
  }
  return count == static_cast<std::int64_t>(spec.shape.size()) ? 0 : count;
}

std::optional<Size> size_of_tensor(const task::Definition& task, const task::TensorSpec& spec,
                                   const std::string& what, bool counts_all) {
  const auto rank = static_cast<std::int64_t>(spec.shape.size());
  const auto extent = [&](std::int64_t i) {
    return Size::text(spec.shape[static_cast<std::size_t>(i)].expr.text());
  };
  if (what == "d") return Size(rank - (counts_all ? 0 : silent_dims(task, spec)));
  if (what == "n") {
    Size product(1);
    for (std::int64_t i = 0; i < rank; ++i) product = Size::binary("*", product, extent(i));
    return product;
  }
  const bool is_stride = what.starts_with('s');
  std::int64_t index = 0;
  const char* begin = what.data() + is_stride;
  if (std::from_chars(begin, what.data() + what.size(), index).ec != std::errc())
    return std::nullopt;
  if (index < 0)
    index += rank;
  else if (!counts_all)
    index += silent_dims(task, spec);
  if (index < 0 || index >= rank) return std::nullopt;
  if (!is_stride) return extent(index);
  Size stride(1);
  for (std::int64_t i = rank - 1; i > index; --i)
    stride = Size::binary(
        "*", stride,
        i == rank - 1 && is_padded(task, spec) ? Size::text(spec.pitch->expr.text()) : extent(i));
  return stride;
}

}  // namespace kw::import
