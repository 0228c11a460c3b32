// Reads the dynamic section with checked bounds.
// SPDX-License-Identifier: Apache-2.0
#include "compile/elf.h"

#include <algorithm>
#include <cstdint>

#include "compile/elf_sections.h"

namespace kw::compile {
namespace {

#if defined(__x86_64__)
constexpr int kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr int kMachine = EM_AARCH64;
#endif

Result<std::vector<Elf64_Shdr>> read_sections(std::string_view bytes) {
  const Elf64_Ehdr header = KW_TRY(read_elf_header(bytes));
  if (header.e_machine != kMachine || header.e_type != ET_DYN)
    return fail(ErrorCode::Unsupported, About{"processor"},
                "the compiled object is not a shared object for this machine's processor");
  return read_elf_sections(bytes, header);
}

void read_symbols(std::string_view bytes, const Elf64_Shdr& table, const Elf64_Shdr& names,
                  ElfFacts& facts) {
  const std::uint64_t count = table.sh_size / sizeof(Elf64_Sym);
  for (std::uint64_t i = 1; i < count; ++i) {
    const auto symbol = elf_at<Elf64_Sym>(bytes, table.sh_offset + i * sizeof(Elf64_Sym));
    if (!symbol) return;
    std::string name = elf_string(bytes, names, symbol->st_name);
    if (name.empty()) continue;
    (symbol->st_shndx == SHN_UNDEF ? facts.imported : facts.exported).push_back(std::move(name));
  }
}

void read_dynamic(std::string_view bytes, const Elf64_Shdr& table, const Elf64_Shdr& names,
                  ElfFacts& facts) {
  // Size of the one pointer in the array of constructors that belongs to frame_dummy of crtbegin.
  constexpr std::uint64_t kOwnConstructorBytes = 8;
  const std::uint64_t count = table.sh_size / sizeof(Elf64_Dyn);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto entry = elf_at<Elf64_Dyn>(bytes, table.sh_offset + i * sizeof(Elf64_Dyn));
    if (!entry || entry->d_tag == DT_NULL) return;
    if (entry->d_tag == DT_NEEDED)
      facts.needed.push_back(elf_string(bytes, names, entry->d_un.d_val));
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
    if (section.sh_link >= sections.size())
      return fail(ErrorCode::Malformed, About{"section link"},
                  "a section of the object refers to a section that the object lacks");
    const Elf64_Shdr& names = sections[section.sh_link];
    if (section.sh_type == SHT_DYNSYM) read_symbols(bytes, section, names, facts);
    if (section.sh_type == SHT_DYNAMIC) {
      is_dynamic = true;
      read_dynamic(bytes, section, names, facts);
    }
  }
  if (!is_dynamic)
    return fail(ErrorCode::Malformed, About{"dynamic section"},
                "the object has no dynamic section");
  std::sort(facts.exported.begin(), facts.exported.end());
  std::sort(facts.imported.begin(), facts.imported.end());
  return facts;
}

}  // namespace kw::compile
