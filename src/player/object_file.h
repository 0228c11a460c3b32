// What a player must know of an object before it is loaded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "player/allowed_calls.h"

namespace kw::player {

inline constexpr std::size_t kMostLibraries = 16;
inline constexpr std::size_t kLibraryNameBytes = 64;

/// The libraries that an ELF object names and where its code lies, read from the file's head,
/// program headers and dynamic section. What it says is foreign and checked by who uses it.
struct ObjectFile {
  char libraries[kMostLibraries][kLibraryNameBytes];  ///< Ended by zeros.
  std::size_t library_count = 0;
  CodeSegment segments[kMostCodeSegments];  ///< The executable ones.
  std::size_t segment_count = 0;

  std::span<const CodeSegment> code() const { return {segments, segment_count}; }

  /// Reads an open file. Null, or why it cannot be an object of a candidate.
  const char* read(int descriptor);
};

}  // namespace kw::player
