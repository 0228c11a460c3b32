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
  std::string includes;          ///< What stands before any namespace.
  std::string code;              ///< The rest, without C linkage of what it defines itself.
  std::set<std::string> macros;  ///< That the text defines or undoes.
};

/// `function`: what it defines for its caller. `// kw:` lines are left out. An #include below code
/// moves before it; what C linkage declares and another library defines stays as it is.
Result<Isolated> isolate(std::string_view source, task::CandidateHeader header,
                         const std::string& function);

}  // namespace kw::deliver
