// Builds cpu units with GCC or clang in a jail that sees only the compiler.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "compile/build.h"
#include "compile/compiler.h"
#include "compile/flags.h"
#include "platform/files.h"
#include "platform/jail.h"

namespace kw::compile {

struct CpuCompilerSettings {
  std::string program;     ///< Compiler to run; empty: $KW_CXX, else g++ on PATH.
  platform::Path objects;  ///< Folder of the objects, named "<sha256>.so"; created.
  JailLevel jail = JailLevel::Namespace;
  Limits limits;
};

class CpuCompiler final : public Compiler {
 public:
  /// Finds the compiler and asks for its version (2 ms). Error: there is no compiler, or it does
  /// not run.
  static Result<std::unique_ptr<CpuCompiler>> create(CpuCompilerSettings settings);

  Result<CompileResult> build(const BuildUnit& unit) override;
  const std::string& identity() const override { return identity_; }
  /// The compiler's version line, for DeviceFacts::compiler.
  const std::string& version() const { return version_; }

 private:
  struct Step;
  CpuCompiler(CpuCompilerSettings settings, std::string version);
  std::uint64_t most_object_bytes() const;
  platform::JailSpec jail_for(const platform::Path& folder) const;
  Result<Step> run_step(const platform::Path& folder, std::vector<std::string> arguments) const;
  Result<CompileResult> build_in(const platform::Path& folder, const BuildUnit& unit) const;
  /// Why the linked code would not be the code that was compiled; nothing if it is.
  Result<std::optional<CompileResult>> find_other_code(const platform::Path& folder) const;
  Result<CompileResult> keep_linked(const platform::Path& folder, const BuildUnit& unit) const;
  Result<std::vector<CodeMark>> read_dumps(const platform::Path& folder) const;

  CpuCompilerSettings settings_;
  std::string version_;
  Dialect dialect_;
  std::string identity_;
};

/// The version line of the compiler that builds candidates, without building anything (2 ms).
/// Error: there is no compiler, or it does not run.
Result<std::string> cpu_compiler_words();

/// Architecture of units that are built on this machine and may run on any x86-64 host of a GPU;
/// used in place of "native".
inline constexpr std::string_view kAnyProcessor = "x86-64";

/// Model, family, stepping and instruction sets from the text of /proc/cpuinfo, which decide what
/// -march=native means. They are part of the compiler's identity, so that an object is not reused
/// on another processor.
std::string processor_identity(std::string_view cpuinfo);

}  // namespace kw::compile
