// Reads what a shared object exports, imports and needs, for checks of objects and for screening.
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
  /// The object runs code at load, other than crtbegin's frame_dummy.
  bool has_constructors = false;
};

/// Reads a 64-bit little-endian shared object for this machine. Bytes are foreign: every offset is
/// checked, and anything irregular is an error that says what.
Result<ElfFacts> read_elf(std::string_view bytes);

}  // namespace kw::compile
