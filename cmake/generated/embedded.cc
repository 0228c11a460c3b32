// Gives the table that the assembler wrote (KwGenerated.cmake) its C++ type.
// SPDX-License-Identifier: Apache-2.0
#include "generated/embedded.h"

#include <cstddef>
#include <vector>

namespace kw {
namespace {

struct Entry {
  const char* path;
  std::size_t path_size;
  const char* bytes;
  std::size_t bytes_size;
};

extern "C" const Entry kw_embedded_table[];
extern "C" const std::size_t kw_embedded_count;

}  // namespace

std::span<const EmbeddedFile> embedded_files() {
  static const std::vector<EmbeddedFile> files = [] {
    std::vector<EmbeddedFile> all;
    all.reserve(kw_embedded_count);
    for (const Entry& entry : std::span(kw_embedded_table, kw_embedded_count)) {
      all.push_back({{entry.path, entry.path_size}, {entry.bytes, entry.bytes_size}});
    }
    return all;
  }();
  return files;
}

}  // namespace kw
