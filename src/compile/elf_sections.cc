// Reads header and sections of an ELF file.
// SPDX-License-Identifier: Apache-2.0
#include "compile/elf_sections.h"

namespace kw::compile {

std::string_view elf_contents(std::string_view bytes, const Elf64_Shdr& section) {
  if (section.sh_type == SHT_NOBITS || section.sh_offset > bytes.size() ||
      bytes.size() - section.sh_offset < section.sh_size)
    return {};
  return bytes.substr(section.sh_offset, section.sh_size);
}

std::string elf_string(std::string_view bytes, const Elf64_Shdr& table, std::uint64_t index) {
  const std::string_view text = elf_contents(bytes, table);
  if (index >= text.size()) return {};
  return std::string(text.substr(index, text.find('\0', index) - index));
}

Result<Elf64_Ehdr> read_elf_header(std::string_view bytes) {
  const auto header = elf_at<Elf64_Ehdr>(bytes, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
    return fail(ErrorCode::Malformed, About{"ELF header"}, "the object is not an ELF file");
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
    return fail(ErrorCode::Malformed, About{"ELF class"},
                "the object is not a 64-bit little-endian ELF file");
  return *header;
}

Result<std::vector<Elf64_Shdr>> read_elf_sections(std::string_view bytes,
                                                  const Elf64_Ehdr& header) {
  if (header.e_shentsize != sizeof(Elf64_Shdr))
    return fail(ErrorCode::Malformed, About{"section size"},
                "the object's section headers have an unexpected size");
  std::vector<Elf64_Shdr> sections;
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    // An offset that wraps around is harmless: elf_at() refuses a range past the end, and any range
    // inside the file is checked like any other section.
    const auto section = elf_at<Elf64_Shdr>(bytes, header.e_shoff + i * sizeof(Elf64_Shdr));
    if (!section)
      return fail(ErrorCode::Malformed, About{"section range"},
                  "the object's section headers reach past the end of the file");
    sections.push_back(*section);
  }
  return sections;
}

Result<std::vector<std::string>> section_names(std::string_view bytes) {
  const Elf64_Ehdr header = KW_TRY(read_elf_header(bytes));
  const std::vector<Elf64_Shdr> sections = KW_TRY(read_elf_sections(bytes, header));
  if (header.e_shstrndx >= sections.size())
    return fail(ErrorCode::Malformed, About{"section names"},
                "the sections of the object have no names");
  std::vector<std::string> names;
  for (const Elf64_Shdr& section : sections)
    names.push_back(elf_string(bytes, sections[header.e_shstrndx], section.sh_name));
  return names;
}

}  // namespace kw::compile
