// Passes each unit to the compiler of its target.
// SPDX-License-Identifier: Apache-2.0
#include "compile/target_compiler.h"

namespace kw::compile {

Result<Compiler*> TargetCompiler::cuda() {
  const std::lock_guard hold(mutex_);
  if (!cuda_) {
    cuda_ = KW_TRY(open_cuda_());
    both_ = cpu_.identity() + "\n" + cuda_->identity();
  }
  return cuda_.get();
}

Result<CompileResult> TargetCompiler::build(const BuildUnit& unit) {
  if (unit.target == Target::Cpu) return cpu_.build(unit);
  return KW_TRY(cuda())->build(unit);
}

const std::string& TargetCompiler::identity() const {
  const std::lock_guard hold(mutex_);
  return cuda_ ? both_ : cpu_.identity();
}

}  // namespace kw::compile
