// Names of GPU architectures: "sm_90a".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace kw {

struct ArchName {
  int capability = 0;  ///< Major times ten plus minor: 90; 0: no such name.
  char feature = 0;  ///< 'a': instructions that no other arch has; 'f': of its family; 0: neither.
};

/// {0, 0} for what is no name of an architecture.
ArchName parse_arch(std::string_view arch);

}  // namespace kw
