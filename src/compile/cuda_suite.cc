// Routes units to the compiler that the row of their dialect names.
// SPDX-License-Identifier: Apache-2.0
#include "compile/cuda_suite.h"

#include <string>
#include <utility>

#include "compile/nvcc_compiler.h"
#include "record/target.h"

namespace kw::compile {
namespace {

constexpr std::string_view kNvrtc = "nvrtc";
constexpr std::string_view kNvcc = "nvcc";

class CudaSuite final : public Compiler {
 public:
  explicit CudaSuite(CudaCompilers compilers) : compilers_(std::move(compilers)) {
    identity_ = !compilers_.contains(kNvrtc) ? "without NVRTC, device code is compiled by nvcc"
                                             : compilers_.at(kNvrtc)->identity();
    if (compilers_.contains(kNvcc)) identity_ += "\n" + compilers_.at(kNvcc)->identity();
  }

  Result<CompileResult> build(const BuildUnit& unit) override {
    const DialectRow* dialect = find_dialect(unit.target, unit.dialect);
    if (dialect == nullptr) dialect = &plain_dialect(unit.target);
    auto found = compilers_.find(dialect->compiler);
    // nvcc compiles what NVRTC does, and host code besides.
    if (found == compilers_.end()) found = compilers_.find(kNvcc);
    if (found != compilers_.end()) return found->second->build(unit);
    return fail(ErrorCode::MissingProgram, About{"nvcc"},
                "host launchers cannot be built without nvcc; set CUDA_PATH to a CUDA toolkit", "",
                Advice::GiveUp);
  }
  const std::string& identity() const override { return identity_; }

 private:
  CudaCompilers compilers_;
  std::string identity_;
};

}  // namespace

std::unique_ptr<Compiler> make_cuda_suite(CudaCompilers compilers) {
  return std::make_unique<CudaSuite>(std::move(compilers));
}

Result<std::unique_ptr<Compiler>> open_cuda_suite(CudaCompilerSettings settings) {
  if (!settings.toolkit.nvrtc && settings.toolkit.nvcc.empty())
    return fail(ErrorCode::MissingProgram, About{"nvrtc"}, why_no_nvrtc(settings.toolkit), "",
                Advice::Stop);
  CudaCompilers compilers;
  if (!settings.toolkit.nvcc.empty()) {
    NvccSettings nvcc{
        .toolkit = settings.toolkit, .objects = settings.objects, .jail = settings.jail};
    compilers.emplace(kNvcc, KW_TRY(NvccCompiler::create(std::move(nvcc))));
  }
  if (settings.toolkit.nvrtc)
    compilers.emplace(kNvrtc, KW_TRY(CudaCompiler::create(std::move(settings))));
  return make_cuda_suite(std::move(compilers));
}

}  // namespace kw::compile
