// The compiler flags that candidates, baselines and references share, and the options that may be
// added.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kw::compile {

/// Compiler and version, as far as flags depend on them: flags for reports do, flags for
/// optimisation do not.
struct Dialect {
  bool is_gcc = true;  ///< True for GCC, false for clang.
  int major = 12;
  bool has_json() const { return is_gcc && major < 15; }  ///< Has -fdiagnostics-format=json.
};

/// Reads the first line of `--version`, such as "g++ (Debian 12.2.0-14) 12.2.0" or "Debian clang
/// version 19.1.7".
Dialect dialect_from(std::string_view version_line);

/// Flags of every translation unit, without options and defines: kCodeFlags, and flags for the
/// layout of code and for reports.
std::vector<std::string> compile_flags(const Dialect& dialect);

/// Flags of the link step, placed before the objects; library flags go after the objects.
std::vector<std::string> link_flags(const Dialect& dialect);

/// Flags of a whitelisted option (fast_math, unroll_loops, O2); empty if it is not whitelisted.
std::vector<std::string> option_flags(std::string_view option);

/// Names of the whitelisted options, for use in messages.
std::span<const std::string> option_names();

/// Link flag of a whitelisted library (openblas); empty if it is not whitelisted.
std::string library_flag(std::string_view library);

}  // namespace kw::compile
