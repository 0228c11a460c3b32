// Diagnostics of GCC (JSON or text), clang, assembler and linker, as one list and as findings.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/candidate.h"
#include "record/verdict.h"

namespace kw::compile {

// Enough for any honest source; foreign output can be endless.
inline constexpr std::size_t kMaxDiagnostics = 200;
inline constexpr std::size_t kMaxNotes = 8;  ///< Of one diagnostic.

struct Diagnostic {
  enum class Severity { Error, Warning, Note };
  Severity severity = Severity::Error;
  std::string file;        ///< Empty: of no place (linker, driver).
  std::size_t line = 0;    ///< From 1; 0 unknown.
  std::size_t column = 0;  ///< Bytes, from 1; 0 unknown.
  std::string message;
  std::string replacement;  ///< The compiler's own suggestion, if any.
  /// Places that lead here (template instantiation, macro, earlier declaration), as given.
  std::vector<Diagnostic> notes;
};

/// Everything recognised in a compiler's error output, in its order. Foreign text: bounded work,
/// never fails; what is not recognised is left out.
std::vector<Diagnostic> parse_diagnostics(std::string_view output);

/// What the text of a finding begins with that is a warning.
inline constexpr std::string_view kWarningMark = "Warning: ";

/// Ranked findings (kind "diagnostic"): errors before warnings, those in the main file first, at
/// most `limit`. Frames are cut from the unit's own files; an unknown name gets the nearest known
/// one where the compiler has none. System headers are named by their last part alone.
std::vector<Finding> diagnostic_findings(std::span<const Diagnostic> diagnostics,
                                         const BuildUnit& unit, std::size_t limit = 12);

/// Identifiers of the unit's files and defines, for nearest().
std::vector<std::string> known_names(const BuildUnit& unit);

}  // namespace kw::compile
