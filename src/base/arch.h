// Names of GPU architectures: "sm_90a".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace kw {

struct ArchName {
  int capability = 0;  ///< Major version times ten plus minor: 90; 0: the name is not valid.
  /// 'a': the architecture has instructions that no other has; 'f': instructions of its family
  /// only; 0: neither.
  char feature = 0;
};

/// Gives {0, 0} for text that is not the name of an architecture.
ArchName parse_arch(std::string_view arch);

}  // namespace kw
