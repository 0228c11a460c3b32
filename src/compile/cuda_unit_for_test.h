// Units of device code and a compiler for them, for tests; the tests are skipped without NVRTC.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "compile/cuda_compiler.h"
#include "platform/files.h"
#include "platform/jail.h"

namespace kw::compile {

inline constexpr const char* kSaxpy =
    "extern \"C\" __global__ void saxpy(int n, float a, const float* x, float* y) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) y[i] += a * x[i];\n"
    "}\n"
    "template <int N, int S> __global__ void __launch_bounds__(128) twice(float* x) {\n"
    "  __shared__ float s[N];\n"
    "  s[threadIdx.x % N] = x[threadIdx.x];\n"
    "  __syncthreads();\n"
    "  x[threadIdx.x] = s[(threadIdx.x + S) % N];\n"
    "}\n";

inline BuildUnit cuda_unit(std::string source, std::vector<SourceFile> headers = {}) {
  BuildUnit unit;
  unit.role = "candidate";
  unit.target = Target::Cuda;
  unit.arch = "sm_90a";
  unit.dialect = "cuda";
  unit.main_file = "candidate.cu";
  unit.files = std::move(headers);
  unit.files.push_back({"candidate.cu", std::move(source)});
  return unit;
}

class CudaCompilerTest : public testing::Test {
 protected:
  platform::TempDir folder = *platform::TempDir::create();
  Limits limits = CudaCompilerSettings{}.limits;

  void SetUp() override {
    const std::string missing = why_no_nvrtc(toolkit());
    if (missing.empty()) return;
    std::cerr << "not tested: " << missing << "\n";
    GTEST_SKIP() << missing;
  }

  static const CudaToolkit& toolkit() {
    static const CudaToolkit found = find_cuda_toolkit();
    return found;
  }

  static JailLevel level() {
    constexpr JailLevel kLevels[] = {JailLevel::Namespace, JailLevel::Landlock, JailLevel::None};
    const JailLevel best = kLevels[static_cast<int>(platform::probe_jail().best())];
    if (best != JailLevel::Namespace)
      std::cerr << "note: these builds run in a jail of level " << name_of(best) << "\n";
    return best;
  }

  /// The compiler, created at the first call with the current `limits`.
  CudaCompiler& compiler() {
    if (!compiler_) {
      CudaCompilerSettings settings;
      settings.toolkit = toolkit();
      settings.objects = folder.path() / "objects";
      settings.jail = level();
      settings.limits = limits;
      compiler_ = std::move(CudaCompiler::create(settings).value());
    }
    return *compiler_;
  }

  CompileResult build(const BuildUnit& unit) {
    auto result = compiler().build(unit);
    if (!result) {
      ADD_FAILURE() << describe(result.error());
      return {};
    }
    return std::move(*result);
  }

 private:
  std::unique_ptr<CudaCompiler> compiler_;
};

}  // namespace kw::compile
