// The system calls that foreign code in a CPU player may make, as a list of allowed calls.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace kw::player {

/// An executable segment of an object's file, in whole pages: the part that may be mapped as code.
struct CodeSegment {
  std::uint64_t offset = 0;  ///< Offset in the file.
  std::uint32_t bytes = 0;
};

/// What the loader still has to do for one object after the calls are limited.
struct LoadingRights {
  int descriptor = -1;  ///< Number of the descriptor at which the object's file will be opened.
  /// The object's executable segments, at most kMostCodeSegments.
  std::span<const CodeSegment> code;
};
inline constexpr std::size_t kMostCodeSegments = 8;

/// Limits this process, for good and for all of its threads, to the calls that an object needs to
/// be loaded, to compute on several threads and to answer; the table in allowed_calls.cc gives the
/// reason for each. Other calls fail with EPERM, or as the table says. Only the code in the
/// object's own file can be made executable. Returns 0 or the errno.
int allow_calls_of_kernels(const LoadingRights& loading);

/// Lets this process open one more file. The file gets the number `descriptor`, the lowest free
/// one, and can never be closed: once allow_calls_of_kernels() is in force, close() does nothing.
/// Opening another file fails before its name is looked at. Returns 0 or the errno.
int allow_one_more_file(int descriptor);

}  // namespace kw::player
