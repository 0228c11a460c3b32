// What all compilers share: checking a unit, storing an object, wording a failure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "compile/compiler.h"
#include "platform/files.h"

namespace kw::compile {

/// Resources that one build may use. A build that exceeds one ends as OutOfResources or TimedOut.
struct Limits {
  std::int64_t wall_ns = 20'000'000'000;
  std::uint64_t cpu_seconds = 20;                              ///< CPU time per process.
  std::uint64_t address_space_bytes = std::uint64_t{3} << 30;  ///< Address space per process.
  /// Most bytes of all source files together.
  std::uint64_t source_bytes = std::uint64_t{4} << 20;
  /// Most bytes of the object, and of every intermediate file.
  std::uint64_t object_bytes = std::uint64_t{32} << 20;
};

/// A result without an object, with this outcome and its reason, also in words as evidence.
CompileResult refused(Outcome outcome, BuildTrouble trouble, std::string about,
                      std::string evidence);

/// Foreign text on one line of at most `limit` bytes.
std::string one_line(std::string_view text, std::size_t limit);

/// The first finding with its place in the source, to use as evidence; empty if there are no
/// findings.
std::string first_error(const std::vector<Finding>& findings);

/// Makes the first finding the evidence of a failed result; nothing changes without findings.
void tell_first_error(CompileResult& result);

/// Checks that the sources are small enough. Returns nothing if they are, else the result that
/// refuses the unit. Names of files and macros come from our own code, so an invalid name is an
/// error.
Result<std::optional<CompileResult>> check_unit(const BuildUnit& unit, const Limits& limits);

/// The result for an unknown option; says which options are known.
CompileResult unknown_option(std::string_view option, std::span<const std::string> known);

/// Path of an object below `folder`, by its digest: "<sha256>.so" or "<sha256>.cubin".
platform::Path object_path(const platform::Path& folder, const BuiltObject& object);

/// Writes the object to a file named by its digest, and returns a Correct result that describes the
/// object.
Result<CompileResult> keep_object(const platform::Path& folder, std::string_view bytes,
                                  std::string format);

}  // namespace kw::compile
