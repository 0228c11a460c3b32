// The element types of a launch plan by their names (docs/launch-plan.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kw::task {

/// The size in bytes of a scalar, workspace or table element of this type; nothing for unknown
/// names.
std::optional<int> plan_type_bytes(std::string_view type);
bool is_real_plan_type(std::string_view type);
std::vector<std::string> plan_types();
/// Whether the value fits the integer type with this name.
bool fits_plan_type(std::string_view type, std::int64_t value);

}  // namespace kw::task
