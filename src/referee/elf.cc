// Bounds-checked walk: header, sections, dynamic symbols, dynamic entries, strings.
// SPDX-License-Identifier: Apache-2.0
#include "referee/elf.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

namespace kw::referee {
namespace {

constexpr std::size_t kMostSymbols = 1 << 20;
constexpr std::size_t kLongestName = 4096;

/// A part of the file; reads outside it give nothing.
class View {
 public:
  explicit View(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  std::optional<T> at(std::uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }
  std::optional<View> part(std::uint64_t offset, std::uint64_t size) const {
    if (offset > bytes_.size() || bytes_.size() - offset < size) return std::nullopt;
    return View(bytes_.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size)));
  }
  /// The zero-terminated string at `offset`; nothing if it does not end here.
  std::optional<std::string> text(std::uint64_t offset) const {
    if (offset >= bytes_.size()) return std::nullopt;
    const auto from = bytes_.begin() + static_cast<std::ptrdiff_t>(offset);
    const auto end = std::find(from, bytes_.end(), std::byte{0});
    if (end == bytes_.end() || static_cast<std::size_t>(end - from) > kLongestName)
      return std::nullopt;
    std::string text;
    std::transform(from, end, std::back_inserter(text),
                   [](std::byte b) { return static_cast<char>(b); });
    return text;
  }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
};

struct Section {
  View content;
  View strings;
};

Result<std::optional<Section>> find_section(const View& file, const Elf64_Ehdr& header,
                                            std::uint32_t type) {
  const auto section_at = [&](std::uint64_t index) {
    return file.at<Elf64_Shdr>(header.e_shoff + index * sizeof(Elf64_Shdr));
  };
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    const auto section = section_at(i);
    if (!section) return fail("a section header lies outside the file");
    if (section->sh_type != type) continue;
    if (section->sh_link >= header.e_shnum) return fail("a section links to none");
    const auto linked = section_at(section->sh_link);
    if (!linked) return fail("a section header lies outside the file");
    const auto content = file.part(section->sh_offset, section->sh_size);
    const auto strings = file.part(linked->sh_offset, linked->sh_size);
    if (!content || !strings) return fail("a section lies outside the file");
    return Section{*content, *strings};
  }
  return std::nullopt;
}

Result<> read_symbols(const Section& section, ElfObject& object) {
  const std::size_t count = section.content.size() / sizeof(Elf64_Sym);
  if (count > kMostSymbols) return fail("more symbols than any kernel has");
  for (std::size_t i = 0; i < count; ++i) {
    const Elf64_Sym symbol = *section.content.at<Elf64_Sym>(i * sizeof(Elf64_Sym));
    if (symbol.st_name == 0) continue;
    const auto name = section.strings.text(symbol.st_name);
    if (!name) return fail("a symbol's name lies outside the string table");
    object.symbols.push_back({.name = *name,
                              .is_defined = symbol.st_shndx != SHN_UNDEF,
                              .is_weak = ELF64_ST_BIND(symbol.st_info) == STB_WEAK});
  }
  return {};
}

Result<> read_needed(const Section& section, ElfObject& object) {
  const std::size_t count = section.content.size() / sizeof(Elf64_Dyn);
  for (std::size_t i = 0; i < count; ++i) {
    const Elf64_Dyn entry = *section.content.at<Elf64_Dyn>(i * sizeof(Elf64_Dyn));
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag != DT_NEEDED) continue;
    const auto name = section.strings.text(entry.d_un.d_val);
    if (!name) return fail("a library's name lies outside the string table");
    object.needed.push_back(*name);
  }
  return {};
}

}  // namespace

Result<ElfObject> read_elf(std::span<const std::byte> bytes) {
  const View file(bytes);
  const auto header = file.at<Elf64_Ehdr>(0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return fail("not an ELF file");
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
      header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff > bytes.size())
    return fail("not a 64-bit little-endian ELF file with section headers");
  ElfObject object;
  if (const auto symbols = KW_TRY(find_section(file, *header, SHT_DYNSYM)))
    KW_TRY(read_symbols(*symbols, object));
  if (const auto dynamic = KW_TRY(find_section(file, *header, SHT_DYNAMIC)))
    KW_TRY(read_needed(*dynamic, object));
  return object;
}

}  // namespace kw::referee
