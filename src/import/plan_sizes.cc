// Names sizes and the counters of loops as the plan does.
// SPDX-License-Identifier: Apache-2.0
#include "import/plan_sizes.h"

#include <algorithm>

#include "base/expr.h"
#include "base/text.h"
#include "import/words.h"

namespace kw::import {

Size PlanSizes::final_size(const Size& size) const {
  return size.replaced([&](const Size& leaf) -> std::optional<Size> {
    const std::string& name = leaf.word();
    if (const auto known = matching_.sizes.find(name); known != matching_.sizes.end())
      return known->second;
    if (name.starts_with('%')) return Size::name(loop_name(name.substr(1)));
    return std::nullopt;
  });
}

std::string PlanSizes::loop_name(const std::string& name) const {
  const bool is_usable = is_usable_identifier(name) && !is_expression_function(name) &&
                         !is_one_of(name, {"step", "sms", "arch", "shared_max", "l2_bytes"}) &&
                         !name.ends_with("_pitch") && !name.ends_with("_count") &&
                         !name.ends_with("_bytes");
  return is_usable && !is_taken(name) ? name : name + "_turn";
}

bool PlanSizes::is_taken(const std::string& name) const {
  for (const BufferMatch& match : matching_.buffers)
    if (match.name == name) return true;
  if (source_.knobs.contains(name)) return true;
  if (task_ == nullptr)
    return std::ranges::find(program_.integers, name) != program_.integers.end() ||
           std::ranges::find(program_.reals, name) != program_.reals.end();
  return std::ranges::find(task_->dims, name) != task_->dims.end() ||
         std::ranges::find(task_->lets, name, &task::Let::name) != task_->lets.end() ||
         std::ranges::find(task_->scalars, name, &task::ScalarSpec::name) != task_->scalars.end() ||
         std::ranges::find(task_->tensors, name, &task::TensorSpec::name) != task_->tensors.end();
}

}  // namespace kw::import
