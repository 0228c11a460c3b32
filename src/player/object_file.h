// What a player must know about an object before it is loaded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "player/allowed_calls.h"

namespace kw::player {

inline constexpr std::size_t kMostLibraries = 16;
inline constexpr std::size_t kLibraryNameBytes = 64;

/// The libraries that an ELF object names, and where its code lies, read from its header, program
/// headers and dynamic section. These are claims of foreign data, which the caller must check.
struct ObjectFile {
  char libraries[kMostLibraries][kLibraryNameBytes];  ///< Each name is terminated by a zero.
  std::size_t library_count = 0;
  CodeSegment segments[kMostCodeSegments];  ///< The executable segments.
  std::size_t segment_count = 0;

  std::span<const CodeSegment> code() const { return {segments, segment_count}; }

  /// Reads an open file. Returns null, or why the file cannot be an object of a candidate.
  const char* read(int descriptor);
};

}  // namespace kw::player
