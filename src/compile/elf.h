// Reads what a shared object exports, imports and needs, for checks of built objects.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kw::compile {

struct ElfFacts {
  std::vector<std::string> exported;  ///< Defined dynamic symbols, sorted.
  std::vector<std::string> imported;  ///< Undefined dynamic symbols without their versions, sorted.
  std::vector<std::string> needed;    ///< DT_NEEDED entries, in the file's order.
  /// The object runs code when it is loaded, other than frame_dummy of crtbegin.
  bool has_constructors = false;
};

/// Reads a 64-bit little-endian shared object for this machine. The bytes are not trusted: every
/// offset is checked, and an error says what is irregular.
Result<ElfFacts> read_elf(std::string_view bytes);

}  // namespace kw::compile
