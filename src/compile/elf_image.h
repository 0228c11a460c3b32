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
  std::string_view bytes;  ///< Of the file; memory beyond them is zero.
  bool is_writable = false;
  bool is_executable = false;
};

struct ElfRelocation {
  std::uint64_t place = 0;
  std::string symbol;       ///< Empty: none.
  std::uint64_t value = 0;  ///< Of the symbol, if it is defined here.
  std::int64_t addend = 0;
  bool is_slot = false;      ///< Of the table of imports, which only calls and loads read.
  bool is_resolved = false;  ///< By a function of the object that runs while it is loaded (IFUNC).
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

/// Borrows the bytes that it was read from.
struct ElfImage {
  int machine = 0;  ///< EM_X86_64 or EM_AARCH64.
  std::vector<ElfSegment> segments;
  bool has_executable_stack = false;
  std::vector<std::pair<std::int64_t, std::uint64_t>> dynamic;  ///< Tags with their values.
  std::vector<ElfRelocation> relocations;
  std::vector<ElfFunction> functions;    ///< Defined ones by address, local ones too.
  std::vector<std::uint64_t> resolvers;  ///< Addresses of functions that choose others at load.
  std::vector<ElfCodeSection> code;

  std::optional<std::uint64_t> tag(std::int64_t wanted) const;
  /// The function that `address` lies in, by the symbols; "?" where none precedes it.
  std::string_view function_at(std::uint64_t address) const;
  /// What begins exactly there; empty: nothing that has a name.
  std::string_view function_from(std::uint64_t address) const;
  /// What the array of functions run at load or at the end holds, by name: "?" without one.
  std::vector<std::string> array(std::int64_t start_tag, std::int64_t size_tag) const;
};

/// Reads a shared object of this machine's kind. Bytes are foreign: every offset is checked, and
/// anything odd is an error that says what. One without program headers is an empty image: nothing
/// of it would be loaded.
Result<ElfImage> read_elf_image(std::string_view bytes);

}  // namespace kw::compile
