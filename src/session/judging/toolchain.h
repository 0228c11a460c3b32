// What this machine has for building kernels of each target.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "compile/compiler.h"
#include "platform/files.h"
#include "record/target.h"

namespace kw::session {

struct Toolchain {
  /// Opens the compiler; `objects` is the folder for what is built.
  Result<std::unique_ptr<compile::Compiler>> (*open)(const platform::Path& objects, JailLevel jail);
  /// Why a baseline cannot be built on this machine, for people; empty if it can.
  std::string (*why_not_built)(const Candidate& baseline);
  /// Why no kernel can be compiled on this machine, for people; empty if one can.
  std::string (*why_missing)() = [] { return std::string(); };
  /// Whether the headers that dialects of the target need are found.
  bool (*has_dialect_headers)() = [] { return false; };
  /// Names the compiler with its version; null: the compiler names itself when it is opened.
  std::string (*compiler_words)() = nullptr;
  /// The program that disassembles objects; null: the target has none.
  platform::Path (*disassembler)() = nullptr;
};
ByTarget<Toolchain>& toolchains();

/// Whether OpenBLAS is installed, so that kernels can be linked with it.
bool has_openblas();

}  // namespace kw::session
