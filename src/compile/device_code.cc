// Reads the words of the PTX within a cubin, and its undefined symbols.
// SPDX-License-Identifier: Apache-2.0
#include "compile/device_code.h"

#include <algorithm>
#include <array>

#include "base/characters.h"
#include "base/text.h"
#include "compile/elf_sections.h"

namespace kw::compile {
namespace {

constexpr int kCubinMachine = 190;  // EM_CUDA
constexpr std::string_view kPtxSection = ".nv_debug_ptx_txt";
constexpr std::size_t kMostDeviceNames = 64;

// PTX ISA 8.8, chapter "Special Registers"; %gridid numbers the launches of a context.
constexpr std::array<std::string_view, 8> kSpecialRegisters{
    "%clock",          "%clock_hi",       "%clock64", "%globaltimer",
    "%globaltimer_lo", "%globaltimer_hi", "%gridid",  "pmevent"};

bool is_counter(std::string_view word) {
  constexpr std::string_view kPrefix = "%pm";
  return word.starts_with(kPrefix) && word.size() > kPrefix.size() &&
         is_digit(word[kPrefix.size()]);
}

bool is_word_char(char c) { return is_name_char(c) || c == '%' || c == '$'; }

/// Whether a line is a read of the timer by the waits of libcu++, marked as "mov.u64 %rd7,
/// %globaltimer; // MARK".
bool is_library_timer(std::string_view line, std::string_view mark) {
  constexpr std::string_view kStart = "mov.u64 %", kEnd = ", %globaltimer; // ";
  line = trim(line);
  if (mark.empty() || !line.starts_with(kStart) || !line.ends_with(mark)) return false;
  line = line.substr(kStart.size(), line.size() - kStart.size() - mark.size());
  if (!line.ends_with(kEnd)) return false;
  line.remove_suffix(kEnd.size());
  return !line.empty() && std::ranges::all_of(line, is_name_char);
}

void add_name(std::vector<std::string>& list, std::string_view name) {
  if (list.size() < kMostDeviceNames && std::ranges::find(list, name) == list.end())
    list.emplace_back(name);
}

// Collects names of a line of PTX. Comments are searched as if they were code, since a mistake
// about where a comment ends would hide a name.
void read_line(std::string_view line, DeviceCode& code) {
  for (std::size_t i = 0; i < line.size();) {
    std::size_t end = i;
    while (end < line.size() && is_word_char(line[end])) ++end;
    const std::string_view word = line.substr(i, end - i);
    if (std::ranges::find(kSpecialRegisters, word) != kSpecialRegisters.end() || is_counter(word))
      add_name(code.registers, word);
    i = std::max(end, i + 1);
  }
}

void read_ptx(std::string_view text, std::string_view mark, DeviceCode& code) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(std::string_view("\0\n", 2)), text.size());
    const std::string_view line = text.substr(0, end);
    if (!is_library_timer(line, mark)) read_line(line, code);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

Result<DeviceCode> read_device_code(std::string_view cubin, std::string_view mark) {
  const Elf64_Ehdr header = KW_TRY(read_elf_header(cubin));
  if (header.e_machine != kCubinMachine)
    return fail(ErrorCode::Malformed, About{"cubin"}, "not a cubin");
  const std::vector<Elf64_Shdr> sections = KW_TRY(read_elf_sections(cubin, header));
  if (header.e_shstrndx >= sections.size())
    return fail(ErrorCode::Malformed, About{"section names"},
                "the sections of the cubin have no names");
  DeviceCode code;
  bool has_ptx = false;
  for (const Elf64_Shdr& section : sections) {
    if (elf_string(cubin, sections[header.e_shstrndx], section.sh_name) == kPtxSection) {
      has_ptx = true;
      read_ptx(elf_contents(cubin, section), mark, code);
    }
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    const std::string_view symbols = elf_contents(cubin, section);
    for (std::size_t i = 1; i < symbols.size() / sizeof(Elf64_Sym); ++i) {
      const auto symbol = *elf_at<Elf64_Sym>(symbols, i * sizeof(Elf64_Sym));
      if (symbol.st_shndx != SHN_UNDEF || ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) continue;
      const std::string name = elf_string(cubin, sections[section.sh_link], symbol.st_name);
      if (!name.empty()) add_name(code.imported, name);
    }
  }
  if (!has_ptx)
    return fail(ErrorCode::Malformed, About{"PTX"}, "the cubin lacks the PTX that it was made of");
  return code;
}

}  // namespace kw::compile
