// A shared object as the dynamic linker sees it: what is mapped, what runs at load, what is
// imported.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace kw::compile {

struct ElfSegment {
  std::uint64_t address = 0;
  std::string_view bytes;  ///< Bytes from the file; the rest of the segment is zero.
  bool is_writable = false;
  bool is_executable = false;
};

struct ElfRelocation {
  std::uint64_t place = 0;
  std::string symbol;       ///< Name of the symbol that the relocation uses; empty: none.
  std::uint64_t value = 0;  ///< Value of the symbol if the object defines it.
  std::int64_t addend = 0;
  /// The relocated place is an entry of the import table, which only calls and loads read.
  bool is_slot = false;
  /// The value is chosen at load by a function of the object (IFUNC).
  bool is_resolved = false;
};

struct ElfFunction {
  std::uint64_t address = 0;
  std::string name;
};

struct ElfCodeSection {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::string name;
};

/// A parsed shared object. Refers to the bytes from which it was read, which must outlive it.
struct ElfImage {
  int machine = 0;  ///< EM_X86_64 or EM_AARCH64.
  std::vector<ElfSegment> segments;
  bool has_executable_stack = false;
  std::vector<std::pair<std::int64_t, std::uint64_t>> dynamic;  ///< Tags and their values.
  std::vector<ElfRelocation> relocations;
  std::vector<ElfFunction> functions;  ///< Defined functions by address, local ones included.
  /// Addresses of functions that choose other functions while the object is loaded (IFUNC).
  std::vector<std::uint64_t> resolvers;
  std::vector<ElfCodeSection> code;

  std::optional<std::uint64_t> tag(std::int64_t wanted) const;
  /// Name of the function that contains `address`, by the symbol table; "?" where no symbol
  /// precedes the address.
  std::string_view function_at(std::uint64_t address) const;
  /// Name of the function that begins exactly at `address`; empty if none does.
  std::string_view function_from(std::uint64_t address) const;
  /// Names of the functions in an array that the loader runs when the object is loaded or unloaded;
  /// "?" for a function without a name.
  std::vector<std::string> array(std::int64_t start_tag, std::int64_t size_tag) const;
};

/// Reads a shared object for this machine. The bytes are not trusted: every offset is checked, and
/// an error says what is irregular. A file without program headers gives an empty image, since a
/// loader would map nothing of it.
Result<ElfImage> read_elf_image(std::string_view bytes);

}  // namespace kw::compile
