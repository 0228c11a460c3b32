// Decides which lines of a source a compiler skips, where the text alone tells.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kw::task {

struct DecidedSource {
  std::string source;
  /// One line for each condition that was decided by a macro which the file does not define, and
  /// by which code is left out.
  std::vector<std::string> notes;
};

/// The source as a compiler without options reads it, with blanks in place of the lines that
/// `#if`, `#ifdef` and their like skip, and of these lines themselves. Every other byte stays where
/// it is. Groups of lines stay as they are where a macro decides that a compiler or a standard
/// header may define, such as a name that begins with an underscore, or one that is neither 0 nor
/// 1, which may be a size. Cost: linear in the source, times the depth of its groups.
DecidedSource with_decided_conditions(std::string_view source);

}  // namespace kw::task
