// What all compilers do alike: checking a unit, keeping an object, wording a failure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "compile/compiler.h"
#include "platform/files.h"

namespace kw::compile {

/// What one build may use; past it the unit's fate is OutOfResources or TimedOut.
struct Limits {
  std::int64_t wall_ns = 20'000'000'000;
  std::uint64_t cpu_seconds = 20;                              ///< Per process.
  std::uint64_t address_space_bytes = std::uint64_t{3} << 30;  ///< Per process.
  std::uint64_t source_bytes = std::uint64_t{4} << 20;         ///< All files together.
  std::uint64_t object_bytes = std::uint64_t{32} << 20;        ///< Also every intermediate file.
};

/// A result without an object.
CompileResult refused(Outcome outcome, std::string evidence);

/// Foreign words on one line of at most `limit` bytes.
std::string one_line(std::string_view text, std::size_t limit);

/// The first finding with its place, for the evidence; empty without findings.
std::string first_error(const std::vector<Finding>& findings);

/// Whether the sources are small enough; else the unit's fate. Names of files and macros come from
/// our own code: odd ones are an error.
Result<std::optional<CompileResult>> check_unit(const BuildUnit& unit, const Limits& limits);

/// Says which options are known; for one that is not.
CompileResult unknown_option(std::string_view option, std::span<const std::string> known);

/// Where an object of this digest lies below `folder`: "<sha256>.so" or "<sha256>.cubin".
platform::Path object_path(const platform::Path& folder, const BuiltObject& object);

/// Writes the object by its content and describes it; a Correct result.
Result<CompileResult> keep_object(const platform::Path& folder, std::string_view bytes,
                                  std::string format);

}  // namespace kw::compile
