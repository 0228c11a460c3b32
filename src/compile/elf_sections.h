// Reads the parts of a 64-bit ELF file that every reader needs, with every offset checked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kw::compile {

/// Reads a T at `offset`; nothing where it would reach past the end of the bytes.
template <class T>
std::optional<T> elf_at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// Content of a section; empty if the section lies outside the file or occupies no bytes in it
/// (SHT_NOBITS).
std::string_view elf_contents(std::string_view bytes, const Elf64_Shdr& section);

/// The string at `index` of a string table; empty if the table has no such string.
std::string elf_string(std::string_view bytes, const Elf64_Shdr& table, std::uint64_t index);

/// Reads the section headers; an error says what is irregular.
Result<std::vector<Elf64_Shdr>> read_elf_sections(std::string_view bytes, const Elf64_Ehdr& header);

/// Reads the header of a 64-bit little-endian ELF file.
Result<Elf64_Ehdr> read_elf_header(std::string_view bytes);

/// The names of all sections of an ELF file, in their order.
Result<std::vector<std::string>> section_names(std::string_view bytes);

}  // namespace kw::compile
