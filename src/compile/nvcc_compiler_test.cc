// Tests of nvcc, where there is one: host launchers, and device code as NVRTC makes it.
// SPDX-License-Identifier: Apache-2.0
#include "compile/nvcc_compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_for_test.h"
#include "compile/build_for_test.h"
#include "compile/cuda_suite.h"
#include "compile/cuda_unit_for_test.h"
#include "compile/elf.h"

namespace kw::compile {
namespace {

using testing::Contains;
using testing::HasSubstr;

class Nvcc : public CudaCompilerTest {
 protected:
  std::vector<platform::Path> roots;  ///< Roots of libraries; empty: those of the toolkit.

  void SetUp() override {
    if (!toolkit().nvcc.empty()) return;
    std::cerr << "not tested: no nvcc\n";
    GTEST_SKIP() << "no nvcc";
  }
  CompileResult build_with(const BuildUnit& unit) {
    NvccSettings settings;
    settings.toolkit = toolkit();
    if (!roots.empty()) settings.toolkit.library_roots = roots;
    settings.objects = folder.path() / "objects";
    settings.jail = level();
    auto compiler = NvccCompiler::create(std::move(settings));
    if (!compiler) {
      ADD_FAILURE() << describe(compiler.error());
      return {};
    }
    auto result = (*compiler)->build(unit);
    if (!result) {
      ADD_FAILURE() << describe(result.error());
      return {};
    }
    return std::move(*result);
  }
};

TEST_F(Nvcc, AHostLauncherBecomesASharedObject) {
  BuildUnit unit = cuda_unit(
      "__global__ void twice(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= 2; }\n"
      "extern \"C\" int run(float* x, int n, cudaStream_t stream) {\n"
      "  twice<<<1, 256, 0, stream>>>(x, n);\n"
      "  return (int)cudaGetLastError();\n"
      "}\n");
  unit.dialect = "host";
  unit.files.push_back({"trampoline.cu",
                        "extern \"C\" int run(float*, int, cudaStream_t);\n"
                        "extern \"C\" __attribute__((visibility(\"default\"))) void kw_entry(void* "
                        "const* a) { run(*(float**)a[0], *(int*)a[1], *(cudaStream_t*)a[2]); }\n"});
  const CompileResult result = build_with(unit);
  ASSERT_TRUE(result.ok()) << result.evidence;
  EXPECT_EQ(result.object.at(0).format, "elf-so");
  const auto facts = read_elf(*platform::read_file(result.object[0].path));
  ASSERT_TRUE(facts.has_value());
  EXPECT_THAT(facts->exported, Contains("kw_entry"));

  unit.libraries = {"cublass"};
  EXPECT_THAT(build_with(unit), IsRefused(BuildTrouble::UnknownLibrary, "cublass -> cublas"));

  // The library is laid out as in a wheel: no libNAME.so without a version, and found only through
  // its folder.
  const auto root = folder.path() / "wheel";
  ASSERT_TRUE(platform::make_dirs(root / "include").has_value());
  ASSERT_TRUE(platform::make_dirs(root / "lib").has_value());
  ASSERT_TRUE(platform::write_file_atomic(root / "include/cublas_v2.h",
                                          "extern \"C\" int cublas_answer(void);\n", false)
                  .has_value());
  BuildUnit library = cuda_unit(
      "extern \"C\" __attribute__((visibility(\"default\"))) int cublas_answer() { return 42; }\n");
  library.dialect = "host";
  const CompileResult built = build_with(library);
  ASSERT_TRUE(built.ok()) << built.evidence;
  const auto object = platform::read_file(built.object[0].path);
  ASSERT_TRUE(
      platform::write_file_atomic(root / "lib/libcublas.so.13", *object, false).has_value());
  roots = {root};
  unit.files.front().text = "#include <cublas_v2.h>\n" + unit.files.front().text +
                            "int answer() { return cublas_answer(); }\n";
  unit.libraries = {"cublas"};
  const CompileResult linked = build_with(unit);
  ASSERT_TRUE(linked.ok()) << linked.evidence;
  const auto needs = read_elf(*platform::read_file(linked.object[0].path));
  ASSERT_TRUE(needs.has_value());
  EXPECT_THAT(needs->needed, Contains(HasSubstr("libcublas.so.13")));
  unit.libraries = {"cudnn"};
  const CompileResult missing = build_with(unit);
  EXPECT_EQ(missing.outcome, Outcome::Unsupported);
  EXPECT_THAT(missing, IsRefused(BuildTrouble::MissingLibrary, "cudnn"));
}

TEST_F(Nvcc, AHostLauncherIsBuiltForItsArchitectureAlone) {
  BuildUnit unit = cuda_unit(
      "__global__ void fence() { asm volatile(\"wgmma.fence.sync.aligned;\"); }\n"
      "extern \"C\" int run(cudaStream_t stream) {\n"
      "  fence<<<1, 128, 0, stream>>>();\n  return (int)cudaGetLastError();\n}\n");
  unit.dialect = "host";
  unit.arch = "sm_90a";
  unit.files.push_back({"trampoline.cu",
                        "extern \"C\" int run(cudaStream_t);\n"
                        "extern \"C\" __attribute__((visibility(\"default\"))) int kw_entry(void* "
                        "const* a) { return run(*(cudaStream_t*)a[0]); }\n"});
  const CompileResult result = build_with(unit);
  ASSERT_TRUE(result.ok()) << result.evidence;
  const std::string object = *platform::read_file(result.object.at(0).path);
  EXPECT_EQ(object.find(".target sm_90\n"), std::string::npos) << "no PTX beside";
}

TEST_F(Nvcc, DeviceCodeHasTheSameFactsAsFromNvrtc) {
  BuildUnit unit = cuda_unit(kSaxpy);
  unit.kernels = {"saxpy", "twice<64, 2>"};
  const CompileResult result = build_with(unit);
  ASSERT_TRUE(result.ok()) << result.evidence;
  const BuiltObject& object = result.object.at(0);
  EXPECT_EQ(object.format, "cubin");
  ASSERT_NE(object.kernel("saxpy"), nullptr);
  EXPECT_EQ(object.kernel("saxpy")->parameters.size(), 4u);
  ASSERT_NE(object.kernel("twice<64, 2>"), nullptr);
  EXPECT_EQ(object.kernel("twice<64, 2>")->static_shared, 256);
}

TEST_F(Nvcc, AnErrorHasItsPlaceAndFrame) {
  const CompileResult result =
      build_with(cuda_unit("extern \"C\" __global__ void k(const float* input, float* y) {\n"
                           "  y[0] = inptu[1];\n"
                           "}\n"));
  EXPECT_EQ(result.outcome, Outcome::CompileFailed);
  EXPECT_EQ(result.trouble, BuildTrouble::Diagnosed);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].place, "candidate.cu:2:10");
  EXPECT_TRUE(result.evidence.starts_with("candidate.cu:2:10: "));
  EXPECT_EQ(result.findings[0].about, "inptu -> input");
}

TEST_F(Nvcc, AKernelThatIsNotThereIsToldWithTheNearest) {
  BuildUnit unit = cuda_unit(std::string("// kw: launch saxpi grid(1) block(1)\n") + kSaxpy);
  unit.kernels = {"saxpi"};
  const CompileResult plain = build_with(unit);
  EXPECT_EQ(plain.outcome, Outcome::CompileFailed);
  EXPECT_THAT(plain, IsRefused(BuildTrouble::UnknownKernel, "saxpi -> saxpy"));
  EXPECT_EQ(plain.findings.at(0).place, "candidate.cu:1:15");
  EXPECT_TRUE(plain.evidence.starts_with("candidate.cu:1:15: "));
  unit.kernels = {"saxpy", "twize<64, 2>"};
  EXPECT_EQ(build_with(unit).findings.at(0).about, "twize<64, 2> -> twice");

  BuildUnit host = cuda_unit("extern \"C\" int matmull(float* x, cudaStream_t s) { return 0; }\n");
  host.dialect = "host";
  host.files.push_back({"trampoline.cu",
                        "extern \"C\" int matmul(float*, cudaStream_t);\n"
                        "extern \"C\" __attribute__((visibility(\"default\"))) int kw_entry(void* "
                        "const* a) { return matmul(*(float**)a[0], *(cudaStream_t*)a[1]); }\n"});
  const CompileResult entry = build_with(host);
  EXPECT_EQ(entry.outcome, Outcome::CompileFailed);
  EXPECT_EQ(entry.trouble, BuildTrouble::Diagnosed);
  EXPECT_EQ(entry.findings.at(0).about,
            "matmul -> extern \"C\" int matmull(float* x, cudaStream_t s)");
}

TEST_F(Nvcc, WithoutNvrtcTheSuiteSaysThatItIsNvcc) {
  CudaCompilerSettings settings;
  settings.toolkit = toolkit();
  settings.toolkit.nvrtc.reset();
  settings.objects = folder.path() / "objects";
  settings.jail = level();
  const auto suite = open_cuda_suite(std::move(settings));
  ASSERT_TRUE(suite.has_value());
  EXPECT_THAT((*suite)->identity(), HasSubstr("device code is compiled by nvcc"));
  EXPECT_TRUE((*suite)->build(cuda_unit(kSaxpy))->ok());
}

/// Counts the units that it is given.
class Counting final : public Compiler {
 public:
  explicit Counting(int& units) : units_(units) {}
  Result<CompileResult> build(const BuildUnit& /*unit*/) override {
    ++units_;
    return CompileResult();
  }
  const std::string& identity() const override { return identity_; }

 private:
  int& units_;
  std::string identity_ = "counting";
};

TEST(CudaSuite, GivesUnitsToTheCompilerThatTheRowOfTheirDialectNames) {
  int nvrtc = 0, nvcc = 0;
  CudaCompilers both;
  both.emplace("nvrtc", std::make_unique<Counting>(nvrtc));
  both.emplace("nvcc", std::make_unique<Counting>(nvcc));
  const auto suite = make_cuda_suite(std::move(both));
  BuildUnit unit = cuda_unit(kSaxpy);
  for (const char* dialect : {"", "cuda", "cute"}) {
    unit.dialect = dialect;
    EXPECT_TRUE(suite->build(unit)) << dialect;
  }
  EXPECT_EQ(nvrtc, 3);
  EXPECT_EQ(nvcc, 0);
  unit.dialect = "host";
  EXPECT_TRUE(suite->build(unit));
  EXPECT_EQ(nvrtc, 3);
  EXPECT_EQ(nvcc, 1);
}

TEST(CudaSuite, LetsNvccBuildDeviceCodeButNvrtcNoHostCode) {
  int nvrtc = 0, nvcc = 0;
  CudaCompilers one, other;
  one.emplace("nvrtc", std::make_unique<Counting>(nvrtc));
  other.emplace("nvcc", std::make_unique<Counting>(nvcc));
  EXPECT_TRUE(make_cuda_suite(std::move(other))->build(cuda_unit(kSaxpy)));
  EXPECT_EQ(nvcc, 1);
  BuildUnit unit = cuda_unit(kSaxpy);
  unit.dialect = "host";
  EXPECT_THAT(make_cuda_suite(std::move(one))->build(unit), IsError(ErrorCode::MissingProgram));
  EXPECT_EQ(nvrtc, 0);
}

TEST(CudaSuite, WithoutAnyCompilerItSaysWhatToDo) {
  CudaCompilerSettings settings;
  const auto suite = open_cuda_suite(std::move(settings));
  EXPECT_THAT(suite, IsErrorAbout(ErrorCode::MissingProgram, "nvrtc"));
}

}  // namespace
}  // namespace kw::compile
