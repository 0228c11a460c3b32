// Keys of errors, and the end of a process whose invariants broke.
// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <cstdio>
#include <cstdlib>

namespace kw {

std::string trouble_key(const Error& e) {
  return std::string(name_of(e.code)) + "\n" + e.where + "\n" + e.about;
}

void panic(const char* condition, std::source_location place) {
  std::fprintf(stderr, "%s:%u: broken invariant: %s\n", place.file_name(),
               static_cast<unsigned>(place.line()), condition);
  std::abort();
}

}  // namespace kw
