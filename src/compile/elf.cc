// A bounds-checked reader of the dynamic section.
// SPDX-License-Identifier: Apache-2.0
#include "compile/elf.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

namespace kw::compile {
namespace {

template <class T>
std::optional<T> at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::string string_at(std::string_view bytes, const Elf64_Shdr& table, std::uint64_t index) {
  if (index >= table.sh_size || table.sh_offset > bytes.size() ||
      bytes.size() - table.sh_offset < table.sh_size)
    return {};
  const std::string_view text = bytes.substr(table.sh_offset, table.sh_size).substr(index);
  return std::string(text.substr(0, text.find('\0')));
}

#if defined(__x86_64__)
constexpr int kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr int kMachine = EM_AARCH64;
#endif

Result<std::vector<Elf64_Shdr>> read_sections(std::string_view bytes) {
  const auto header = at<Elf64_Ehdr>(bytes, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return fail("not an ELF file");
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
      header->e_machine != kMachine || header->e_type != ET_DYN)
    return fail("not a shared object for this machine");
  if (header->e_shentsize != sizeof(Elf64_Shdr)) return fail("section headers of odd size");
  std::vector<Elf64_Shdr> sections;
  for (int i = 0; i < header->e_shnum; ++i) {
    const auto section =
        at<Elf64_Shdr>(bytes, header->e_shoff + static_cast<std::uint64_t>(i) * sizeof(Elf64_Shdr));
    if (!section) return fail("section headers end past the file");
    sections.push_back(*section);
  }
  return sections;
}

void read_symbols(std::string_view bytes, const Elf64_Shdr& table, const Elf64_Shdr& names,
                  ElfFacts& facts) {
  const std::uint64_t count = table.sh_size / sizeof(Elf64_Sym);
  for (std::uint64_t i = 1; i < count; ++i) {
    const auto symbol = at<Elf64_Sym>(bytes, table.sh_offset + i * sizeof(Elf64_Sym));
    if (!symbol) return;
    std::string name = string_at(bytes, names, symbol->st_name);
    if (name.empty()) continue;
    (symbol->st_shndx == SHN_UNDEF ? facts.imported : facts.exported).push_back(std::move(name));
  }
}

void read_dynamic(std::string_view bytes, const Elf64_Shdr& table, const Elf64_Shdr& names,
                  ElfFacts& facts) {
  // One pointer in the array is crtbegin's frame_dummy.
  constexpr std::uint64_t kOwnConstructorBytes = 8;
  const std::uint64_t count = table.sh_size / sizeof(Elf64_Dyn);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto entry = at<Elf64_Dyn>(bytes, table.sh_offset + i * sizeof(Elf64_Dyn));
    if (!entry || entry->d_tag == DT_NULL) return;
    if (entry->d_tag == DT_NEEDED)
      facts.needed.push_back(string_at(bytes, names, entry->d_un.d_val));
    if (entry->d_tag == DT_INIT_ARRAYSZ && entry->d_un.d_val > kOwnConstructorBytes)
      facts.has_constructors = true;
  }
}

}  // namespace

Result<ElfFacts> read_elf(std::string_view bytes) {
  const std::vector<Elf64_Shdr> sections = KW_TRY(read_sections(bytes));
  ElfFacts facts;
  bool is_dynamic = false;
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_DYNSYM && section.sh_type != SHT_DYNAMIC) continue;
    if (section.sh_link >= sections.size()) return fail("a section links to none");
    const Elf64_Shdr& names = sections[section.sh_link];
    if (section.sh_type == SHT_DYNSYM) read_symbols(bytes, section, names, facts);
    if (section.sh_type == SHT_DYNAMIC) {
      is_dynamic = true;
      read_dynamic(bytes, section, names, facts);
    }
  }
  if (!is_dynamic) return fail("no dynamic section");
  std::sort(facts.exported.begin(), facts.exported.end());
  std::sort(facts.imported.begin(), facts.imported.end());
  return facts;
}

}  // namespace kw::compile
