// A compiler for requests with several targets: passes each unit to the compiler of its target.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "compile/compiler.h"
#include "record/target.h"

namespace kw::compile {

/// Passes each unit to the compiler of its target. Put caches behind this object, one per target:
/// then each key depends on one compiler alone, and cpu objects stay valid when the machine gets a
/// GPU.
class TargetCompiler final : public Compiler {
 public:
  /// Creates the compiler of a target; called for the target's first unit. The error becomes the
  /// result of that build.
  using Open = std::function<Result<std::unique_ptr<Compiler>>()>;

  /// `host` compiles for this machine; it is borrowed and must outlive the object.
  TargetCompiler(Compiler& host, std::map<Target, Open> others);

  /// An error if no compiler was given for the unit's target.
  Result<CompileResult> build(const BuildUnit& unit) override;
  /// Identity of the compiler for this machine, and of each other one that has been opened.
  const std::string& identity() const override;

 private:
  Result<Compiler*> compiler_for(Target target);

  std::map<Target, Open> open_;
  mutable std::mutex mutex_;
  std::map<Target, std::unique_ptr<Compiler>> opened_;
  std::map<Target, Compiler*> compilers_;
  /// The identity after each compiler was opened; callers keep references to earlier ones.
  std::deque<std::string> identities_;
};

}  // namespace kw::compile
