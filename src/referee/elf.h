// Reads what a shared object imports, exports and needs; every offset in it is foreign and checked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace kw::referee {

struct ElfSymbol {
  std::string name;
  bool is_defined = false;  ///< Exported by the object, else imported.
  bool is_weak = false;
};

struct ElfObject {
  std::vector<ElfSymbol> symbols;   ///< Of the dynamic symbol table, named ones.
  std::vector<std::string> needed;  ///< Libraries, by soname.
};

/// 64-bit little-endian ELF through its section headers. An error says what does not fit. O(size).
Result<ElfObject> read_elf(std::span<const std::byte> bytes);

}  // namespace kw::referee
