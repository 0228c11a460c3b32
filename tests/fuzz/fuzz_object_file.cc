// Fuzzes the reading of objects in a player, before it gives up its rights: any bytes are read
// within bounds.
// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "player/object_file.h"

using namespace kw::player;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = ::memfd_create("object", MFD_CLOEXEC);
  if (::ftruncate(file, 0) != 0 || ::pwrite(file, data, size, 0) != static_cast<ssize_t>(size))
    return 0;
  static ObjectFile object;
  if (object.read(file) != nullptr) return 0;
  if (object.library_count > kMostLibraries || object.segment_count > kMostCodeSegments)
    __builtin_trap();
  for (std::size_t i = 0; i < object.library_count; ++i)
    if (std::strlen(object.libraries[i]) >= kLibraryNameBytes) __builtin_trap();
  for (const CodeSegment& segment : object.code())
    if (segment.offset % 4096 != 0) __builtin_trap();
  return 0;
}
