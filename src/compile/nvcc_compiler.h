// Builds with nvcc: host launchers always, and device code where NVRTC is missing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "compile/build.h"
#include "compile/compiler.h"
#include "compile/cuda_libraries.h"
#include "compile/cuda_toolkit.h"
#include "platform/jail.h"

namespace kw::compile {

struct NvccSettings {
  CudaToolkit toolkit;
  platform::Path objects;  ///< Folder of the objects, named by content; created.
  JailLevel jail = JailLevel::Namespace;
  Limits limits = {.wall_ns = 120'000'000'000,
                   .cpu_seconds = 120,
                   .address_space_bytes = std::uint64_t{8} << 30,
                   .object_bytes = std::uint64_t{128} << 20};
};

/// A unit of dialect "host" becomes a shared object ("elf-so") with the host code of its *.cu
/// files. Any other unit becomes a cubin as with CudaCompiler, but ten times slower. Safe to call
/// from several threads.
class NvccCompiler final : public Compiler {
 public:
  /// Asks nvcc for its version (10 ms). Error (advice: stop): there is no nvcc, or it does not run.
  static Result<std::unique_ptr<NvccCompiler>> create(NvccSettings settings);

  Result<CompileResult> build(const BuildUnit& unit) override;
  const std::string& identity() const override { return identity_; }

 private:
  NvccCompiler(NvccSettings settings, std::string version);
  Result<std::optional<CompileResult>> check(const BuildUnit& unit) const;
  Result<std::vector<std::string>> arguments_for(const platform::Path& folder,
                                                 const BuildUnit& unit) const;
  Result<CompileResult> build_in(const platform::Path& folder, const BuildUnit& unit) const;
  Result<CompileResult> keep(const platform::Path& folder, const BuildUnit& unit,
                             std::string_view log) const;
  platform::JailSpec jail_for(const platform::Path& folder) const;

  NvccSettings settings_;
  std::string identity_;
};

}  // namespace kw::compile
