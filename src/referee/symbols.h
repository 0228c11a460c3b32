// What is known of the symbols that a kernel may import or define.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace kw::referee {

/// Why a kernel must not use the function, as the end of "it ..."; nothing where it may.
std::optional<std::string_view> forbidden_import(std::string_view name);

/// True for functions that honest kernels import: memory, mathematics, OpenMP, the C++ runtime.
bool is_ordinary_import(std::string_view name);

/// True for names of the system that only an attempt to take their place would define.
bool is_system_name(std::string_view name);

}  // namespace kw::referee
