// panic(): the end of a process whose invariants broke.
// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <cstdio>
#include <cstdlib>

namespace kw {

void panic(const char* condition, std::source_location place) {
  std::fprintf(stderr, "%s:%u: broken invariant: %s\n", place.file_name(),
               static_cast<unsigned>(place.line()), condition);
  std::abort();
}

}  // namespace kw
