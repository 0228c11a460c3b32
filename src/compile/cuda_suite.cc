// Routing units by dialect.
// SPDX-License-Identifier: Apache-2.0
#include "compile/cuda_suite.h"

#include "compile/nvcc_compiler.h"
#include "record/target.h"

namespace kw::compile {
namespace {

class CudaSuite final : public Compiler {
 public:
  CudaSuite(std::unique_ptr<Compiler> device, std::unique_ptr<Compiler> host)
      : device_(std::move(device)), host_(std::move(host)) {
    if (device_) identity_ = device_->identity();
    if (!device_) identity_ = "without NVRTC, device code is compiled by nvcc";
    if (host_) identity_ += "\n" + host_->identity();
  }

  Result<CompileResult> build(const BuildUnit& unit) override {
    const DialectRow* dialect = find_dialect(unit.target, unit.dialect);
    const bool is_host = dialect != nullptr && dialect->trust_class == TrustClass::HostLauncher;
    if (device_ && !is_host) return device_->build(unit);
    if (host_) return host_->build(unit);
    return fail(ErrorCode::MissingProgram,
                "host launchers cannot be built without nvcc; set CUDA_PATH to a CUDA toolkit", "",
                Advice::GiveUp);
  }
  const std::string& identity() const override { return identity_; }

 private:
  std::unique_ptr<Compiler> device_;
  std::unique_ptr<Compiler> host_;
  std::string identity_;
};

}  // namespace

Result<std::unique_ptr<Compiler>> open_cuda_suite(CudaCompilerSettings settings) {
  if (!settings.toolkit.nvrtc && settings.toolkit.nvcc.empty())
    return fail(ErrorCode::MissingProgram, why_no_nvrtc(settings.toolkit), "", Advice::Stop);
  std::unique_ptr<Compiler> device, host;
  if (!settings.toolkit.nvcc.empty()) {
    NvccSettings nvcc{
        .toolkit = settings.toolkit, .objects = settings.objects, .jail = settings.jail};
    host = KW_TRY(NvccCompiler::create(std::move(nvcc)));
  }
  if (settings.toolkit.nvrtc) device = KW_TRY(CudaCompiler::create(std::move(settings)));
  return std::make_unique<CudaSuite>(std::move(device), std::move(host));
}

}  // namespace kw::compile
