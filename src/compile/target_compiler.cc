// Passes each unit to the compiler of its target.
// SPDX-License-Identifier: Apache-2.0
#include "compile/target_compiler.h"

namespace kw::compile {

TargetCompiler::TargetCompiler(Compiler& host, std::map<Target, Open> others)
    : open_(std::move(others)), compilers_{{kHostTarget, &host}}, identities_{host.identity()} {}

Result<Compiler*> TargetCompiler::compiler_for(Target target) {
  const std::lock_guard hold(mutex_);
  if (const auto known = compilers_.find(target); known != compilers_.end()) return known->second;
  const auto open = open_.find(target);
  if (open == open_.end())
    return fail(ErrorCode::Unsupported, About{std::string(name_of(target))},
                "there is no compiler for target " + std::string(name_of(target)));
  auto& opened = opened_[target] = KW_TRY(open->second());
  compilers_[target] = opened.get();
  std::string all = compilers_.at(kHostTarget)->identity();
  for (const auto& [unused, compiler] : opened_) all += "\n" + compiler->identity();
  identities_.push_back(std::move(all));
  return opened.get();
}

Result<CompileResult> TargetCompiler::build(const BuildUnit& unit) {
  return KW_TRY(compiler_for(unit.target))->build(unit);
}

const std::string& TargetCompiler::identity() const {
  const std::lock_guard hold(mutex_);
  return identities_.back();
}

}  // namespace kw::compile
