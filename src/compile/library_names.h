// Names that kernels use without declaring them: mathematics, OpenMP and, on a GPU, built-ins of
// the device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "record/target.h"

namespace kw::compile {

/// What kernels of one target may name without declaring it.
struct LibraryNames {
  const std::vector<std::string>& (*names)();
  /// The header that declares a name; empty where no header need be included.
  std::string (*header_of)(std::string_view name);
};
ByTarget<LibraryNames>& library_names();

/// The end of a message on an undeclared name for which a compiler suggests nothing: the name that
/// may have been meant, or the header that declares it; empty where neither is known. NVRTC
/// suggests nothing, and GCC no names from headers that are not included. Knows only names that
/// kernels commonly use.
std::string library_hint(const std::string& name, Target target);

/// Whether headers that kernels include declare a function or type of that name.
bool is_library_name(std::string_view name, Target target);

}  // namespace kw::compile
