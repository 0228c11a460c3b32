// The system calls that foreign code of a CPU may make: a list of what is allowed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace kw::player {

/// An executable segment of an object's file, in whole pages: what may be mapped as code.
struct CodeSegment {
  std::uint64_t offset = 0;  ///< In the file.
  std::uint32_t bytes = 0;
};

/// What of one object the loader still has to do once the calls are limited.
struct LoadingRights {
  int descriptor = -1;  ///< The number that the object's file will be opened at.
  /// Its executable segments. At most kMostCodeSegments.
  std::span<const CodeSegment> code;
};
inline constexpr std::size_t kMostCodeSegments = 8;

/// Allows this process, for good and for all of its threads, the calls that an object needs to be
/// loaded, to compute on several threads and to answer, and no other: the table in allowed_calls.cc
/// has the reason for each. Fails the others with EPERM, or as the table says. Nothing can be made
/// executable but the code of the object's own file. Returns 0 or the errno.
int allow_calls_of_kernels(const LoadingRights& loading);

/// Lets this process open one more file, which it finds under the number `descriptor`, the lowest
/// free one, and can never close: close() only pretends to under the filter above. Whatever is
/// opened after it fails before a name is looked at. Returns 0 or the errno.
int allow_one_more_file(int descriptor);

}  // namespace kw::player
