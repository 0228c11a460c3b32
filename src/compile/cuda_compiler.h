// Builds device code with NVRTC, each unit in a locked-down child of a running kw-nvrtc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>

#include "compile/build.h"
#include "compile/compiler.h"
#include "compile/cuda_toolkit.h"
#include "compile/nvrtc_server.h"

namespace kw::compile {

struct CudaCompilerSettings {
  CudaToolkit toolkit;
  platform::Path objects;  ///< Folder of the cubins, named by content; created.
  JailLevel jail = JailLevel::Namespace;
  Limits limits = {.address_space_bytes = std::uint64_t{6} << 30};
  platform::Path program;  ///< The program kw-nvrtc; empty: the one beside the running executable.
};

class CudaCompiler final : public Compiler {
 public:
  /// Checks that NVRTC is installed; starts nothing. An error (advice: stop) says what is missing
  /// and how to get it.
  static Result<std::unique_ptr<CudaCompiler>> create(CudaCompilerSettings settings);

  Result<CompileResult> build(const BuildUnit& unit) override;
  const std::string& identity() const override { return identity_; }

  NvrtcServer& server() { return server_; }

 private:
  CudaCompiler(CudaCompilerSettings settings, std::string identity);
  Result<std::optional<CompileResult>> check(const BuildUnit& unit);
  Result<NvrtcJob> job_of(const BuildUnit& unit) const;
  Result<CompileResult> read_outcome(const NvrtcOutcome& outcome, const BuildUnit& unit) const;
  CompileResult died(const NvrtcOutcome& outcome) const;

  CudaCompilerSettings settings_;
  std::string identity_;
  NvrtcServer server_;
};

}  // namespace kw::compile
