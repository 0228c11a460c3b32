// A compiler for requests with several targets: passes each unit to the compiler of its target.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "compile/compiler.h"

namespace kw::compile {

/// Passes each unit to the compiler of its target. Put caches behind this object, one per target:
/// then each key depends on one compiler alone, and cpu objects stay valid when the machine gets a
/// GPU.
class TargetCompiler final : public Compiler {
 public:
  /// Creates the cuda compiler; called for the first cuda unit. Its error becomes the result of
  /// that build.
  using Open = std::function<Result<std::unique_ptr<Compiler>>()>;

  /// `cpu` is borrowed and must outlive the object.
  TargetCompiler(Compiler& cpu, Open open_cuda) : cpu_(cpu), open_cuda_(std::move(open_cuda)) {}

  Result<CompileResult> build(const BuildUnit& unit) override;
  /// Identity of the cpu compiler; after a cuda unit was built, of both compilers.
  const std::string& identity() const override;

 private:
  Result<Compiler*> cuda();

  Compiler& cpu_;
  Open open_cuda_;
  mutable std::mutex mutex_;
  std::unique_ptr<Compiler> cuda_;
  std::string both_;
};

}  // namespace kw::compile
