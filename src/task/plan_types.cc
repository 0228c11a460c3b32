// Looks up the element types of a launch plan.
// SPDX-License-Identifier: Apache-2.0
#include "task/plan_types.h"

#include "record/dtype.h"

namespace kw::task {

std::optional<int> plan_type_bytes(std::string_view type) {
  const auto dtype = enum_from<Dtype>(type);
  return dtype ? std::optional(static_cast<int>(size_of(*dtype))) : std::nullopt;
}

bool is_real_plan_type(std::string_view type) {
  const auto dtype = enum_from<Dtype>(type);
  return dtype && is_real(*dtype);
}

bool fits_plan_type(std::string_view type, std::int64_t value) {
  return can_hold(enum_from<Dtype>(type).value_or(Dtype::I64), value);
}

std::vector<std::string> plan_types() {
  const auto& names = EnumNames<Dtype>::names;
  return {names.begin(), names.end()};
}

}  // namespace kw::task
