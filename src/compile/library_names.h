// Names that kernels use without declaring them: mathematics, OpenMP and, on a GPU, built-ins of
// the device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
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

/// What helps with an undeclared name; both texts are empty where nothing is known.
struct NameHint {
  std::string name;   ///< The name that may have been meant, or "<cmath>": a header to include.
  std::string words;  ///< The end of a message, such as " (did you mean 'fmax'?)".
};

/// The nearest of the names, if any is near.
NameHint nearest_hint(const std::string& name, std::span<const std::string> names);

/// A hint on an undeclared name for which a compiler suggests nothing. NVRTC suggests nothing, and
/// GCC no names from headers that are not included. Knows only names that kernels commonly use.
NameHint library_hint(const std::string& name, Target target);

/// Whether headers that kernels include declare a function or type of that name.
bool is_library_name(std::string_view name, Target target);

}  // namespace kw::compile
