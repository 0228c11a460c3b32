// Reads what a shared object exports, imports and needs: for output checks and for screening.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kw::compile {

struct ElfFacts {
  std::vector<std::string> exported;  ///< Defined dynamic symbols, sorted.
  std::vector<std::string> imported;  ///< Undefined dynamic symbols, versions left out, sorted.
  std::vector<std::string> needed;    ///< DT_NEEDED, in file order.
  bool has_constructors = false;  ///< Runs code of its own at load (beyond crtbegin's frame_dummy).
};

/// Reads a 64-bit little-endian shared object of this machine's kind. Bytes are foreign: every
/// offset is checked, and anything odd is an error that says what.
Result<ElfFacts> read_elf(std::string_view bytes);

}  // namespace kw::compile
