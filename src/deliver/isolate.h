// C++ text moved into a namespace of its own, so that it shares no name with what it is linked to.
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
  std::string code;      ///< All other text; what it defines itself has no C linkage.
  /// Macros that directives of `includes` define or ask for.
  std::set<std::string> macros_before;
  /// Macros that directives of `code` alone define or ask for.
  std::set<std::string> macros;
};

/// Cuts `source` for a namespace. `function` is the name that the source defines for its caller.
/// `// kw:` lines are left out, an #include below code moves before that code, and C linkage stays
/// on declarations of what other libraries define.
Result<Isolated> isolate(std::string_view source, task::CandidateHeader header,
                         const std::string& function);

}  // namespace kw::deliver
