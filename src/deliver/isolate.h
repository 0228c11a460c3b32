// Moves C++ code into a namespace of its own, so that its names do not clash with those of the
// program it is linked to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "task/header.h"

namespace kw::deliver {

struct Isolated {
  std::string includes;  ///< Text that stands before any namespace.
  std::string code;      ///< All other text; its own functions have no C linkage.
  /// Macros that preprocessor directives of `includes` define or test.
  std::set<std::string> macros_before;
  /// Macros that preprocessor directives of `code` define or test, and those of `includes` do not.
  std::set<std::string> macros;
};

/// Prepares `source` for a namespace: leaves out `// kw:` lines, moves an #include that follows
/// code before the code, and keeps C linkage only on declarations of functions from other
/// libraries. `function` is the name of the function that callers use.
Result<Isolated> isolate(std::string_view source, task::CandidateHeader header,
                         const std::string& function);

}  // namespace kw::deliver
