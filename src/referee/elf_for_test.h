// A minimal shared object made by hand: dynamic symbols, their strings, and needed libraries.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace kw::referee {

/// `symbols` are pairs of a name and whether the object defines it.
inline std::string make_elf(const std::vector<std::pair<std::string, bool>>& symbols,
                            const std::vector<std::string>& needed) {
  std::string strings(1, '\0');
  const auto add_string = [&](const std::string& text) {
    const std::size_t at = strings.size();
    strings += text + '\0';
    return at;
  };
  std::vector<Elf64_Sym> table(1);
  for (const auto& [name, is_defined] : symbols) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<Elf64_Word>(add_string(name));
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol.st_shndx = is_defined ? 1 : SHN_UNDEF;
    table.push_back(symbol);
  }
  std::vector<Elf64_Dyn> dynamic;
  for (const std::string& name : needed) {
    Elf64_Dyn entry{};
    entry.d_tag = DT_NEEDED;
    entry.d_un.d_val = add_string(name);
    dynamic.push_back(entry);
  }
  dynamic.push_back({});

  std::string file(sizeof(Elf64_Ehdr), '\0');
  std::vector<Elf64_Shdr> sections(1);
  const auto add_section = [&](Elf64_Word type, Elf64_Word link, const void* data,
                               std::size_t size) {
    Elf64_Shdr section{};
    section.sh_type = type;
    section.sh_link = link;
    section.sh_offset = file.size();
    section.sh_size = size;
    sections.push_back(section);
    file.resize(file.size() + size);
    std::memcpy(file.data() + section.sh_offset, data, size);
  };
  add_section(SHT_STRTAB, 0, strings.data(), strings.size());
  add_section(SHT_DYNSYM, 1, table.data(), table.size() * sizeof(Elf64_Sym));
  add_section(SHT_DYNAMIC, 1, dynamic.data(), dynamic.size() * sizeof(Elf64_Dyn));

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_DYN;
#if defined(__x86_64__)
  header.e_machine = EM_X86_64;
#elif defined(__aarch64__)
  header.e_machine = EM_AARCH64;
#endif
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<Elf64_Half>(sections.size());
  header.e_shoff = file.size();
  std::memcpy(file.data(), &header, sizeof header);
  const std::size_t at = file.size();
  file.resize(at + sections.size() * sizeof(Elf64_Shdr));
  std::memcpy(file.data() + at, sections.data(), sections.size() * sizeof(Elf64_Shdr));
  return file;
}

}  // namespace kw::referee
