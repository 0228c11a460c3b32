// Reads an ELF file piece by piece, by its program headers.
// SPDX-License-Identifier: Apache-2.0
#include "player/object_file.h"

#include <elf.h>
#include <unistd.h>

#include <cstring>
#include <utility>

namespace kw::player {
namespace {

constexpr std::uint64_t kLoadPage = 4096;
constexpr std::size_t kMostHeaders = 64;
constexpr std::size_t kMostDynamic = 256;
constexpr std::uint64_t kMostCode = std::uint64_t{1} << 30;  ///< Most bytes of one segment.
// The messages below name these limits.
static_assert(kMostHeaders == 64 && kMostCodeSegments == 8 && kMostLibraries == 16);

/// Reads at most `bytes` bytes from offset `at`, fewer where the file ends, none after an error.
std::size_t read_some(int descriptor, void* to, std::size_t bytes, std::uint64_t at) {
  const ssize_t n = ::pread(descriptor, to, bytes, static_cast<off_t>(at));
  return n < 0 ? 0 : static_cast<std::size_t>(n);
}

struct Segments {
  Elf64_Phdr headers[kMostHeaders];
  std::size_t count = 0;

  const Elf64_Phdr* dynamic() const {
    for (std::size_t i = 0; i < count; ++i)
      if (headers[i].p_type == PT_DYNAMIC) return &headers[i];
    return nullptr;
  }
  /// File offset of what will be mapped at `address`; `none` where no part of the file will be
  /// mapped there.
  std::uint64_t offset_of(std::uint64_t address, std::uint64_t none) const {
    for (std::size_t i = 0; i < count; ++i) {
      const Elf64_Phdr& h = headers[i];
      if (h.p_type == PT_LOAD && address >= h.p_vaddr && address - h.p_vaddr < h.p_filesz)
        return h.p_offset + (address - h.p_vaddr);
    }
    return none;
  }
};

const char* read_segments(int descriptor, Segments& segments) {
  Elf64_Ehdr head;
  if (read_some(descriptor, &head, sizeof head, 0) != sizeof head ||
      std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
      head.e_type != ET_DYN)
    return "the object is not a 64-bit ELF shared object";
  if (head.e_phentsize != sizeof(Elf64_Phdr) || head.e_phnum > kMostHeaders)
    return "the object's program headers are damaged, or there are more than 64 of them";
  segments.count = head.e_phnum;
  const std::size_t bytes = segments.count * sizeof(Elf64_Phdr);
  return read_some(descriptor, segments.headers, bytes, head.e_phoff) == bytes
             ? nullptr
             : "the object's program headers reach past the end of the file";
}

}  // namespace

const char* ObjectFile::read(int descriptor) {
  static Segments all;  // static: large, and used once
  library_count = segment_count = 0;
  if (const char* why = read_segments(descriptor, all); why != nullptr) return why;
  bool is_first = true;
  for (std::size_t i = 0; i < all.count; ++i) {
    const Elf64_Phdr& h = all.headers[i];
    if (h.p_type == PT_GNU_STACK && (h.p_flags & PF_X) != 0)
      return "the object asks for an executable stack";
    if (h.p_type != PT_LOAD) continue;
    // The loader maps the first segment with the length of the whole object, so the first segment
    // must not be code.
    const bool would_cover_all = std::exchange(is_first, false);
    if ((h.p_flags & PF_X) == 0) continue;
    if (would_cover_all) return "the object's code and data share one segment";
    if ((h.p_flags & PF_W) != 0)
      return "the object asks for memory that is both writable and executable";
    if (segment_count == kMostCodeSegments) return "the object has more than 8 executable segments";
    const std::uint64_t begin = h.p_offset / kLoadPage * kLoadPage;
    if (h.p_filesz > kMostCode) return "an executable segment of the object is larger than 1 GiB";
    const std::uint64_t pages = (h.p_offset - begin + h.p_filesz + kLoadPage - 1) / kLoadPage;
    segments[segment_count++] = {begin, static_cast<std::uint32_t>(pages * kLoadPage)};
  }
  const Elf64_Phdr* where = all.dynamic();
  if (where == nullptr) return "the object has no dynamic section";

  static Elf64_Dyn entries[kMostDynamic];
  const std::size_t bytes = where->p_filesz < sizeof entries ? where->p_filesz : sizeof entries;
  const std::size_t count =
      read_some(descriptor, entries, bytes, where->p_offset) / sizeof(Elf64_Dyn);
  std::uint64_t strings = 0;
  for (std::size_t i = 0; i < count && entries[i].d_tag != DT_NULL; ++i)
    if (entries[i].d_tag == DT_STRTAB) strings = all.offset_of(entries[i].d_un.d_ptr, 0);
  for (std::size_t i = 0; i < count && entries[i].d_tag != DT_NULL; ++i) {
    if (entries[i].d_tag != DT_NEEDED) continue;
    if (library_count == kMostLibraries) return "the object needs more than 16 libraries";
    char(&name)[kLibraryNameBytes] = libraries[library_count++];
    const std::size_t n = read_some(descriptor, name, sizeof name, strings + entries[i].d_un.d_val);
    if (std::memchr(name, 0, n) == nullptr)
      return "the object names a library by a text without an end";
  }
  return nullptr;
}

}  // namespace kw::player
