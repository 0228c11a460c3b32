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

// Bounds on how much of a compiler's output is read, since that output may be endless; no honest
// source needs more.
inline constexpr std::size_t kMaxDiagnostics = 200;
inline constexpr std::size_t kMaxNotes = 8;  ///< Most notes of one diagnostic.

struct Diagnostic {
  enum class Severity { Error, Warning, Note };
  Severity severity = Severity::Error;
  std::string file;        ///< File name; empty: the diagnostic has no place (linker, driver).
  std::size_t line = 0;    ///< Line from 1; 0: unknown.
  std::size_t column = 0;  ///< Column in bytes, from 1; 0: unknown.
  std::string message;
  std::string replacement;  ///< Replacement that the compiler suggests, if any.
  /// Of a diagnostic of our own, its Finding::about; of a tool such as ptxas, the tool; else empty.
  std::string about{};
  /// Places that led to the diagnostic (template instantiation, macro, earlier declaration), in the
  /// compiler's order.
  std::vector<Diagnostic> notes;
};

/// The diagnostics found in a compiler's error output, in the order of the output. The text is not
/// trusted: the work is bounded, no text is an error, and unknown lines are left out.
std::vector<Diagnostic> parse_diagnostics(std::string_view output);

/// Ranked findings (kinds "diagnostic" and "warning"), at most `limit`: errors before warnings, and
/// the main file's first. Frames of source lines are cut from the unit's own files. Where a message
/// names an unknown identifier and the compiler suggests no other, the finding gives the nearest
/// identifier that exists. System headers are named by the last part of their path.
std::vector<Finding> diagnostic_findings(std::span<const Diagnostic> diagnostics,
                                         const BuildUnit& unit, std::size_t limit = 12);

/// Identifiers in the unit's files and defines, from which nearest() chooses.
std::vector<std::string> known_names(const BuildUnit& unit);

}  // namespace kw::compile
