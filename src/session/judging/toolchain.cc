// Finds what builds kernels for processors and for GPUs.
// SPDX-License-Identifier: Apache-2.0

#include <filesystem>

#include "base/text.h"
#include "compile/cpu_compiler.h"
#include "compile/cuda_libraries.h"
#include "compile/cuda_suite.h"
#include "compile/cuda_toolkit.h"
#include "session/judging/toolchain.h"

namespace kw::session {
namespace {

Result<std::unique_ptr<compile::Compiler>> open_cpu(const platform::Path& objects, JailLevel jail) {
  compile::CpuCompilerSettings settings;
  settings.objects = objects;
  settings.jail = jail;
  return KW_TRY(compile::CpuCompiler::create(settings));
}

std::string why_not_on_cpu(const Candidate& baseline) {
  return baseline.libraries.empty() || has_openblas()
             ? std::string()
             : join(baseline.libraries, ", ") + " is not installed";
}

Result<std::unique_ptr<compile::Compiler>> open_cuda(const platform::Path& objects,
                                                     JailLevel jail) {
  compile::CudaCompilerSettings settings;
  settings.toolkit = compile::find_cuda_toolkit();
  settings.objects = objects;
  settings.jail = jail;
  return compile::open_cuda_suite(std::move(settings));
}

std::string why_not_on_cuda(const Candidate& baseline) {
  if (baseline.trust_class != TrustClass::HostLauncher) return {};
  const compile::CudaToolkit toolkit = compile::find_cuda_toolkit();
  if (toolkit.nvcc.empty())
    return "this baseline is a host launcher, which needs nvcc; set CUDA_PATH to a CUDA toolkit";
  for (const std::string& library : baseline.libraries)
    if (auto why = compile::why_no_cuda_library(toolkit, library); !why.empty()) return why;
  return {};
}

}  // namespace

ByTarget<Toolchain>& toolchains() {
  static ByTarget<Toolchain> all{
      {Target::Cpu, {open_cpu, why_not_on_cpu}},
      {Target::Cuda,
       {open_cuda, why_not_on_cuda,
        [] { return compile::why_no_nvrtc(compile::find_cuda_toolkit()); },
        [] { return !compile::find_cuda_toolkit().cutlass.empty(); },
        [] { return compile::compiler_words(compile::find_cuda_toolkit()); },
        [] { return compile::find_cuda_toolkit().disassembler; }}},
  };
  return all;
}

bool has_openblas() {
  for (const char* folder : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                             "/usr/lib64", "/usr/lib", "/usr/local/lib"}) {
    std::error_code ignored;
    if (std::filesystem::exists(std::string(folder) + "/libopenblas.so", ignored)) return true;
  }
  return false;
}

}  // namespace kw::session
