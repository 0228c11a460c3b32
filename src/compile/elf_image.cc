// Reads program headers, dynamic table, relocations and symbols with every offset checked.
// SPDX-License-Identifier: Apache-2.0
#include "compile/elf_image.h"

#include <algorithm>

#include "compile/elf_sections.h"

namespace kw::compile {
namespace {

#if defined(__x86_64__)
constexpr int kThisMachine = EM_X86_64;
constexpr unsigned kResolved = R_X86_64_IRELATIVE;
constexpr unsigned kCallSlot = R_X86_64_JUMP_SLOT, kLoadSlot = R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
constexpr int kThisMachine = EM_AARCH64;
constexpr unsigned kResolved = R_AARCH64_IRELATIVE;
constexpr unsigned kCallSlot = R_AARCH64_JUMP_SLOT, kLoadSlot = R_AARCH64_GLOB_DAT;
#endif

/// Most entries of a table, far above what a kernel's object has; objects with more are refused.
constexpr std::size_t kMostEntries = std::size_t{1} << 20;
constexpr std::size_t kMostDynamic = 1024;

class ImageReader {
 public:
  explicit ImageReader(std::string_view bytes) : bytes_(bytes) {}

  Result<ElfImage> read() {
    const Elf64_Ehdr header = KW_TRY(read_elf_header(bytes_));
    if (header.e_machine != kThisMachine || header.e_type != ET_DYN)
      return fail(ErrorCode::Unsupported, About{"processor"},
                  "the compiled object is not a shared object for this machine's processor");
    image_.machine = header.e_machine;
    KW_TRY(read_segments(header));
    KW_TRY(read_relocations());
    KW_TRY(read_sections(header));
    std::ranges::sort(image_.functions, {}, &ElfFunction::address);
    std::ranges::sort(image_.resolvers);
    return std::move(image_);
  }

 private:
  Result<> read_segments(const Elf64_Ehdr& header) {
    if (header.e_phnum != 0 && header.e_phentsize != sizeof(Elf64_Phdr))
      return fail(ErrorCode::Malformed, About{"segment size"},
                  "the object's program headers have an unexpected size");
    for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
      const auto segment = elf_at<Elf64_Phdr>(bytes_, header.e_phoff + i * sizeof(Elf64_Phdr));
      if (!segment)
        return fail(ErrorCode::Malformed, About{"program headers"},
                    "the object's program headers reach past the end of the file");
      if (segment->p_type == PT_GNU_STACK)
        image_.has_executable_stack = (segment->p_flags & PF_X) != 0;
      if (segment->p_type != PT_LOAD && segment->p_type != PT_DYNAMIC) continue;
      if (segment->p_offset > bytes_.size() ||
          bytes_.size() - segment->p_offset < segment->p_filesz)
        return fail(ErrorCode::Malformed, About{"segment range"},
                    "a segment of the object reaches past the end of the file");
      const std::string_view held = bytes_.substr(segment->p_offset, segment->p_filesz);
      if (segment->p_type == PT_DYNAMIC)
        KW_TRY(read_dynamic(held));
      else
        image_.segments.push_back({.address = segment->p_vaddr,
                                   .bytes = held,
                                   .is_writable = (segment->p_flags & PF_W) != 0,
                                   .is_executable = (segment->p_flags & PF_X) != 0});
    }
    return {};
  }

  /// Reads the dynamic table. Of a tag that occurs twice the last entry is taken, as loaders do;
  /// linkers write no tag twice.
  Result<> read_dynamic(std::string_view table) {
    for (std::size_t i = 0; i < table.size() / sizeof(Elf64_Dyn); ++i) {
      const auto entry = *elf_at<Elf64_Dyn>(table, i * sizeof(Elf64_Dyn));
      if (entry.d_tag == DT_NULL) return {};
      if (image_.dynamic.size() == kMostDynamic)
        return fail(ErrorCode::Malformed, About{"dynamic end"},
                    "the object's dynamic section has no end");
      if (entry.d_tag != DT_NEEDED && image_.tag(entry.d_tag))
        return fail(ErrorCode::Malformed, About{"dynamic tag"},
                    "the object's dynamic section holds a tag twice");
      image_.dynamic.emplace_back(entry.d_tag, entry.d_un.d_val);
    }
    return {};
  }

  /// The file's bytes from `address` to the end of the segment that contains it; empty where no
  /// segment does.
  std::string_view from(std::uint64_t address) const {
    for (const ElfSegment& s : image_.segments)
      if (address >= s.address && address - s.address < s.bytes.size())
        return s.bytes.substr(address - s.address);
    return {};
  }

  Result<> read_relocations() {
    for (const auto& [start, size] :
         {std::pair(DT_RELA, DT_RELASZ), std::pair(DT_JMPREL, DT_PLTRELSZ)}) {
      const auto at = image_.tag(start), bytes = image_.tag(size);
      if (!at || !bytes) continue;
      const std::string_view table = from(*at).substr(0, *bytes);
      const std::size_t count = table.size() / sizeof(Elf64_Rela);
      if (table.size() < *bytes)
        return fail(ErrorCode::Malformed, About{"relocations"},
                    "the object's relocations reach past the end of their segment");
      if (image_.relocations.size() + count > kMostEntries)
        return fail(ErrorCode::TooLarge, About{"relocations"},
                    "the object has more relocations than any kernel needs");
      for (std::size_t i = 0; i < count; ++i)
        add_relocation(*elf_at<Elf64_Rela>(table, i * sizeof(Elf64_Rela)));
    }
    return {};
  }

  void add_relocation(const Elf64_Rela& entry) {
    const auto type = ELF64_R_TYPE(entry.r_info);
    ElfRelocation relocation;
    relocation.place = entry.r_offset;
    relocation.addend = entry.r_addend;
    relocation.is_slot = type == kCallSlot || type == kLoadSlot;
    relocation.is_resolved = type == kResolved;
    if (relocation.is_resolved)
      image_.resolvers.push_back(static_cast<std::uint64_t>(entry.r_addend));
    const auto symbols = image_.tag(DT_SYMTAB), strings = image_.tag(DT_STRTAB);
    const std::uint64_t index = ELF64_R_SYM(entry.r_info);
    if (index != 0 && symbols && strings) {
      if (const auto symbol =
              elf_at<Elf64_Sym>(from(*symbols), index * std::uint64_t{sizeof(Elf64_Sym)})) {
        const std::string_view text = from(*strings);
        if (symbol->st_name < text.size())
          relocation.symbol = text.substr(
              symbol->st_name, text.find('\0', symbol->st_name) - std::size_t{symbol->st_name});
        relocation.value = symbol->st_shndx == SHN_UNDEF ? 0 : symbol->st_value;
      }
    }
    image_.relocations.push_back(std::move(relocation));
  }

  Result<> read_sections(const Elf64_Ehdr& header) {
    const std::vector<Elf64_Shdr> sections = KW_TRY(read_elf_sections(bytes_, header));
    for (const Elf64_Shdr& section : sections) {
      if ((section.sh_flags & SHF_EXECINSTR) != 0 && header.e_shstrndx < sections.size())
        image_.code.push_back(
            {.address = section.sh_addr,
             .bytes = section.sh_size,
             .name = elf_string(bytes_, sections[header.e_shstrndx], section.sh_name)});
      if ((section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM) &&
          section.sh_link < sections.size())
        KW_TRY(read_functions(section, sections[section.sh_link]));
    }
    return {};
  }

  Result<> read_functions(const Elf64_Shdr& table, const Elf64_Shdr& names) {
    const std::string_view symbols = elf_contents(bytes_, table);
    for (std::size_t i = 1; i < symbols.size() / sizeof(Elf64_Sym); ++i) {
      const auto symbol = *elf_at<Elf64_Sym>(symbols, i * sizeof(Elf64_Sym));
      const auto type = ELF64_ST_TYPE(symbol.st_info);
      if (symbol.st_shndx == SHN_UNDEF || (type != STT_FUNC && type != STT_GNU_IFUNC)) continue;
      if (image_.functions.size() == kMostEntries)
        return fail(ErrorCode::TooLarge, About{"functions"},
                    "the object has more functions than any kernel needs");
      if (type == STT_GNU_IFUNC) image_.resolvers.push_back(symbol.st_value);
      image_.functions.push_back({symbol.st_value, elf_string(bytes_, names, symbol.st_name)});
    }
    return {};
  }

  std::string_view bytes_;
  ElfImage image_;
};

}  // namespace

Result<ElfImage> read_elf_image(std::string_view bytes) { return ImageReader(bytes).read(); }

std::optional<std::uint64_t> ElfImage::tag(std::int64_t wanted) const {
  for (const auto& [name, value] : dynamic)
    if (name == wanted) return value;
  return std::nullopt;
}

std::string_view ElfImage::function_at(std::uint64_t address) const {
  const auto behind = std::ranges::upper_bound(functions, address, {}, &ElfFunction::address);
  return behind == functions.begin() ? std::string_view("?") : (behind - 1)->name;
}

std::string_view ElfImage::function_from(std::uint64_t address) const {
  const auto found = std::ranges::lower_bound(functions, address, {}, &ElfFunction::address);
  if (found == functions.end() || found->address != address) return {};
  return found->name;
}

std::vector<std::string> ElfImage::array(std::int64_t start_tag, std::int64_t size_tag) const {
  const auto start = tag(start_tag), size = tag(size_tag);
  std::vector<std::string> names;
  if (!start || !size) return names;
  const std::uint64_t count = std::min<std::uint64_t>(*size / sizeof(std::uint64_t), kMostEntries);
  names.assign(count, "?");
  for (const ElfRelocation& relocation : relocations) {
    const std::uint64_t index = (relocation.place - *start) / sizeof(std::uint64_t);
    if (relocation.place < *start || index >= count) continue;
    const bool is_own = relocation.symbol.empty() || relocation.value != 0;
    const std::string_view name =
        is_own ? function_from(relocation.value + static_cast<std::uint64_t>(relocation.addend))
               : std::string_view(relocation.symbol);
    names[index] = name.empty() ? "?" : std::string(name);
  }
  return names;
}

}  // namespace kw::compile
