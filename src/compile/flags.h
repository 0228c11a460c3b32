// The one flag line shared by candidates, baselines and references, and the options that may
// follow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kw::compile {

/// Compilers differ in how they report, not in how they are told to optimise.
struct Dialect {
  bool is_gcc = true;  ///< Otherwise clang.
  int major = 12;
  bool has_json() const { return is_gcc && major < 15; }  ///< -fdiagnostics-format=json.
};

/// Reads `--version`'s first line: "g++ (Debian 12.2.0-14) 12.2.0", "Debian clang version 19.1.7".
Dialect dialect_from(std::string_view version_line);

/// Flags of every translation unit, without options and defines: kCodeFlags and those of how code
/// is laid out and what is reported.
std::vector<std::string> compile_flags(const Dialect& dialect);

/// Flags of the link; libraries follow the objects.
std::vector<std::string> link_flags(const Dialect& dialect);

/// Flags of one whitelisted option (fast_math, unroll_loops, O2); empty if it is not one.
std::vector<std::string> option_flags(std::string_view option);

/// Names of the whitelist, for messages.
std::span<const std::string> option_names();

/// Link flag of a whitelisted library (openblas); empty if it is not one.
std::string library_flag(std::string_view library);

}  // namespace kw::compile
