// bench-nvrtc: times the compiling of device code, one unit at a time or many on all cores.
// SPDX-License-Identifier: Apache-2.0
//
// usage: bench-nvrtc one nvrtc|nvcc cuda|cute FILE KERNEL [DEFINE…]   prints nanoseconds of one
// build
//        bench-nvrtc many THREADS UNITS                               prints nanoseconds per unit
// Both build once before timing, so that kw-nvrtc is warm and its header precompiled. No cache is
// used.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "compile/cuda_compiler.h"
#include "compile/nvcc_compiler.h"
#include "platform/files.h"

namespace {

using namespace kw;

int complain(const std::string& what) {
  std::fprintf(stderr, "bench-nvrtc: %s\n", what.c_str());
  return 1;
}

BuildUnit unit_of(std::string source, std::string dialect, std::string kernel) {
  BuildUnit unit;
  unit.target = Target::Cuda;
  unit.arch = "sm_90a";
  unit.dialect = std::move(dialect);
  unit.main_file = "candidate.cu";
  unit.files = {{"candidate.cu", std::move(source)}};
  unit.kernels = {std::move(kernel)};
  return unit;
}

Result<std::unique_ptr<compile::Compiler>> open(bool is_nvcc, const platform::Path& folder) {
  const compile::CudaToolkit toolkit = compile::find_cuda_toolkit();
  if (is_nvcc) {
    compile::NvccSettings settings;
    settings.toolkit = toolkit;
    settings.objects = folder;
    return KW_TRY(compile::NvccCompiler::create(std::move(settings)));
  }
  compile::CudaCompilerSettings settings;
  settings.toolkit = toolkit;
  settings.objects = folder;
  return KW_TRY(compile::CudaCompiler::create(std::move(settings)));
}

int one(const std::vector<std::string>& words, const platform::Path& folder) {
  auto compiler = open(words[1] == "nvcc", folder);
  if (!compiler) return complain(describe(compiler.error()));
  const auto source = platform::read_file(words[3]);
  if (!source) return complain(describe(source.error()));
  BuildUnit unit = unit_of(*source, words[2], words[4]);
  unit.defines.assign(words.begin() + 5, words.end());
  for (const bool is_timed : {false, true}) {
    const auto result = (*compiler)->build(unit);
    if (!result) return complain(describe(result.error()));
    if (!result->ok()) return complain(result->evidence);
    if (is_timed) std::printf("%.0f\n", result->elapsed_ns);
  }
  return 0;
}

int many(int threads, int count, const platform::Path& folder) {
  auto compiler = open(false, folder);
  if (!compiler) return complain(describe(compiler.error()));
  std::vector<BuildUnit> units;
  for (int i = 0; i < count; ++i) {
    units.push_back(
        unit_of("extern \"C\" __global__ void k(int n, float a, const float* x, float* y) {\n"
                "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] += a * "
                "x[i];\n}\n",
                "cuda", "k"));
    units.back().defines = {"UNIT=" + std::to_string(i)};
  }
  if (const auto warm = (*compiler)->build(units.front()); !warm || !warm->ok())
    return complain(warm ? warm->evidence : describe(warm.error()));
  const auto start = std::chrono::steady_clock::now();
  for (const auto& result : compile::build_all(**compiler, units, threads))
    if (!result || !result->ok())
      return complain(result ? result->evidence : describe(result.error()));
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  std::printf("%.0f\n", took.count() / count);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto folder = platform::TempDir::create("kw-bench-nvrtc");
  if (!folder) return complain(describe(folder.error()));
  if (words.size() >= 5 && words[0] == "one") return one(words, folder->path());
  if (words.size() == 3 && words[0] == "many")
    return many(std::max(1, std::atoi(words[1].c_str())), std::max(1, std::atoi(words[2].c_str())),
                folder->path());
  return complain("usage: one nvrtc|nvcc cuda|cute FILE KERNEL [DEFINE...] | many THREADS UNITS");
}
