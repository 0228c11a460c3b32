// Decides conditions of the preprocessor, as far as the text of one file allows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "import/foreign_source.h"

namespace kw::import {

/// The value of the condition of an `#if`; nothing where the compiler, a header or a knob decides
/// it, or where a part of the text is not understood. `varying` are the names of knobs.
std::optional<std::int64_t> value_of_condition(std::string_view text,
                                               const std::map<std::string, Macro>& macros,
                                               const std::set<std::string>& varying);

/// Whether the name is defined as a macro; nothing where the compiler, a header or a knob may
/// define it.
std::optional<bool> is_defined_macro(const std::string& name,
                                     const std::map<std::string, Macro>& macros,
                                     const std::set<std::string>& varying);

}  // namespace kw::import
