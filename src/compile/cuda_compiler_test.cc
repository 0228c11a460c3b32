// Tests of NVRTC, where it is installed, on honest, broken and hostile sources: each gives a
// result, not an error.
// SPDX-License-Identifier: Apache-2.0
#include "compile/cuda_compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <iostream>
#include <thread>

#include "base/error_for_test.h"
#include "base/text.h"
#include "compile/build_for_test.h"
#include "compile/cache.h"
#include "compile/cuda_unit_for_test.h"

namespace kw::compile {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::Not;

TEST_F(CudaCompilerTest, BuildsKernelsAndSaysWhatTheyTake) {
  BuildUnit unit = cuda_unit(kSaxpy);
  unit.kernels = {"saxpy", "twice<64, 2>"};
  const CompileResult result = build(unit);
  ASSERT_TRUE(result.ok()) << result.evidence;
  const BuiltObject& object = result.object.at(0);
  EXPECT_EQ(object.format, "cubin");
  EXPECT_EQ(static_cast<std::int64_t>(platform::read_file(object.path)->size()), object.bytes);
  const KernelFacts* saxpy = object.kernel("saxpy");
  ASSERT_NE(saxpy, nullptr);
  EXPECT_EQ(saxpy->symbol, "saxpy");
  ASSERT_EQ(saxpy->parameters.size(), 4u);
  EXPECT_EQ(saxpy->parameters[1].offset, 4);
  EXPECT_EQ(saxpy->parameters[1].bytes, 4);
  EXPECT_EQ(saxpy->parameters[2].offset, 8);
  EXPECT_EQ(saxpy->parameters[3].bytes, 8);
  EXPECT_GT(saxpy->registers, 4);
  EXPECT_EQ(saxpy->spill_bytes, 0);
  const KernelFacts* twice = object.kernel("twice<64, 2>");
  ASSERT_NE(twice, nullptr);
  EXPECT_NE(twice->symbol, twice->name);
  EXPECT_EQ(twice->static_shared, 256);
  EXPECT_EQ(twice->max_threads, 128);
  EXPECT_THAT(result.findings, Contains(AllOf(Field(&Finding::kind, FindingKind::Resource),
                                              Field(&Finding::place, "twice<64, 2>"))));
}

TEST_F(CudaCompilerTest, EveryArchitectureOfTheChecks) {
  for (const char* arch : {"sm_75", "sm_80", "sm_90a"}) {
    BuildUnit unit = cuda_unit(kSaxpy);
    unit.arch = arch;
    unit.kernels = {"twice<64, 2>"};
    const CompileResult result = build(unit);
    ASSERT_TRUE(result.ok()) << arch << ": " << result.evidence;
    EXPECT_EQ(result.object[0].kernel("twice<64, 2>")->static_shared, 256) << arch;
  }
  BuildUnit unit = cuda_unit(kSaxpy);
  unit.arch = "sm_20";
  const auto result = compiler().build(unit);
  ASSERT_FALSE(result.has_value());
  EXPECT_THAT(result, IsErrorAbout(ErrorCode::Unsupported, "sm_20"));
}

TEST_F(CudaCompilerTest, EqualUnitsGiveEqualBytesAndTheCacheKnowsThem) {
  auto cache = DirectoryCache::open(folder.path());
  ASSERT_TRUE(cache.has_value());
  CachedCompiler cached(compiler(), *cache);
  BuildUnit unit = cuda_unit(kSaxpy);
  unit.kernels = {"saxpy"};
  const CompileResult first = *cached.build(unit);
  const CompileResult second = *cached.build(unit);
  EXPECT_EQ(second.elapsed_ns, 0);
  EXPECT_EQ(second.object.at(0).sha256, first.object.at(0).sha256);
  EXPECT_EQ(second.object[0].kernel("saxpy")->parameters.size(), 4u);
  EXPECT_EQ(build(unit).object.at(0).sha256, first.object[0].sha256);
  unit.arch = "sm_80";
  EXPECT_GT(cached.build(unit)->elapsed_ns, 0);
}

TEST_F(CudaCompilerTest, KnobsOptionsAndIfaceReachTheSource) {
  BuildUnit unit = cuda_unit(
      "static_assert(BLOCK == 64 && FLAG == 1);\n"
      "extern \"C\" __global__ void k(word_t* p) { p[0] = __sinf(p[0]); }\n");
  unit.files.insert(unit.files.begin(), {"iface.h", "using word_t = float;\n"});
  unit.defines = {"BLOCK=64", "FLAG"};
  unit.options = {"fast_math", "maxrregcount_64"};
  unit.kernels = {"k"};
  EXPECT_TRUE(build(unit).ok()) << build(unit).evidence;
  unit.options = {"fastmath"};
  EXPECT_THAT(build(unit), IsRefused(BuildTrouble::UnknownOption, "fastmath -> fast_math"));
}

// The source uses names that users of nvcc take for granted and that NVRTC lacks.
TEST_F(CudaCompilerTest, StandardHeadersAndTheirMacrosAreThere) {
  BuildUnit unit = cuda_unit(
      "#include <cstdint>\n#include <cfloat>\n#include <climits>\n#include <cmath>\n"
      "#include <stdint.h>\n#include <cuda_fp16.h>\n#include <cuda/std/cstdint>\n"
      "#include <cuda/std/climits>\n"
      "extern \"C\" __global__ void saxpy(float* x) {\n"
      "  const std::uint32_t i = threadIdx.x;\n"
      "  constexpr float kLeast = -INFINITY;\n"
      "  x[i] = fmaxf(fmaxf(kLeast, -FLT_MAX), x[i]) + (isnan(NAN) ? float(INT_MAX) : M_PI);\n"
      "}\n");
  unit.kernels = {"saxpy"};
  const CompileResult result = build(unit);
  ASSERT_TRUE(result.ok()) << result.evidence;
  for (const Finding& finding : result.findings)
    EXPECT_NE(finding.kind, FindingKind::Warning) << finding.place;
}

TEST_F(CudaCompilerTest, AnErrorHasItsPlaceFrameAndNearestName) {
  const CompileResult result =
      build(cuda_unit("extern \"C\" __global__ void k(const float* input, float* y) {\n"
                      "  y[0] = inptu[1];\n"
                      "}\n"));
  EXPECT_EQ(result.outcome, Outcome::CompileFailed);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].place, "candidate.cu:2:10");
  EXPECT_EQ(result.findings[0].about, "inptu -> input");
  EXPECT_THAT(result.findings[0].frame, HasSubstr("inptu[1]"));
  EXPECT_EQ(result.trouble, BuildTrouble::Diagnosed);
  EXPECT_TRUE(result.evidence.starts_with(result.findings[0].place + ": "));
}

TEST_F(CudaCompilerTest, AnErrorInATemplateNamesWhoAskedForIt) {
  const CompileResult result = build(
      cuda_unit("#include \"helper.h\"\n"
                "extern \"C\" __global__ void k(float* p) { p[0] = g(p[1]); }\n",
                {{"helper.h", "template <class X> __device__ X g(X x) { return x.foo(); }\n"}}));
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].kind, FindingKind::Diagnostic);
  EXPECT_EQ(result.findings[0].place, "helper.h:1:49");
}

TEST_F(CudaCompilerTest, AKernelThatThePlanLaunchesAndNobodyWroteIsNamed) {
  BuildUnit unit = cuda_unit(
      "// kw: launch gem grid(1) block(1) args()\n"
      "extern \"C\" __global__ void gemm() {}\n");
  unit.kernels = {"gem"};
  const CompileResult result = build(unit);
  EXPECT_EQ(result.outcome, Outcome::CompileFailed);
  EXPECT_EQ(result.findings.at(0).about, "gem -> gemm");
  EXPECT_EQ(result.findings[0].place, "candidate.cu:1:15");
  EXPECT_TRUE(result.evidence.starts_with(result.findings[0].place + ": "));
  EXPECT_THAT(result.findings.at(0).frame, HasSubstr("launch gem grid"));
}

TEST_F(CudaCompilerTest, WhatTheAssemblerRefusesIsExplained) {
  const CompileResult result =
      build(cuda_unit("extern \"C\" __global__ void k(float* p) { asm(\"foo.bar %r1;\"); }\n"));
  EXPECT_EQ(result.outcome, Outcome::CompileFailed);
  EXPECT_EQ(result.trouble, BuildTrouble::Diagnosed);
  ASSERT_FALSE(result.findings.empty()) << "the assembler's message";
  EXPECT_EQ(result.findings[0].about, "ptxas");
  BuildUnit big = cuda_unit(
      "extern \"C\" __global__ void k(float* p, int n) { __shared__ float s[100000]; s[n] = 1; "
      "__syncthreads(); p[0] = s[n / 2]; }\n");
  EXPECT_THAT(build(big), IsRefused(BuildTrouble::SharedMemory, "k"));
}

TEST_F(CudaCompilerTest, FilesOfTheMachineCannotBeRead) {
  const platform::Path secret = folder.path() / "secret.h";
  ASSERT_TRUE(platform::write_file_atomic(secret, "int kw_secret_7 = ;\n", false).has_value());
  for (const std::string& line :
       {"#include \"" + secret.string() + "\"\n", std::string("#include </etc/passwd>\n"),
        std::string("#include </proc/self/environ>\n"),
        "const char s[] = {\n#embed \"" + secret.string() + "\"\n};\n",
        "__global__ void k() { asm(\".incbin \\\"" + secret.string() + "\\\";\"); }\n",
        "__global__ void k() { asm(\".include \\\"" + secret.string() + "\\\";\"); }\n"}) {
    const CompileResult result = build(cuda_unit(line + kSaxpy));
    EXPECT_EQ(result.outcome, Outcome::CompileFailed) << line;
    EXPECT_THAT(result.evidence, Not(HasSubstr("kw_secret_7"))) << line;
    for (const Finding& f : result.findings) {
      EXPECT_THAT(f.text, Not(HasSubstr("kw_secret_7")));
      EXPECT_THAT(f.text, Not(HasSubstr("root")));
    }
  }
}

// Each of these sources would take minutes or gigabytes without limits.
class CudaBomb : public CudaCompilerTest, public testing::WithParamInterface<const char*> {};

TEST_P(CudaBomb, EndsAsAValueAndHarmsNobody) {
  limits.cpu_seconds = 1;
  limits.wall_ns = 20'000'000'000;
  limits.address_space_bytes = std::uint64_t{2} << 30;
  limits.object_bytes = std::uint64_t{4} << 20;
  BuildUnit bomb = cuda_unit(GetParam() + std::string("\n") + kSaxpy);
  const CompileResult result = build(bomb);
  EXPECT_FALSE(result.ok());
  EXPECT_FALSE(result.evidence.empty());
  EXPECT_LT(result.evidence.size(), 700u);
  EXPECT_TRUE(result.object.empty());
  std::cerr << name_of(result.outcome) << ": " << result.evidence << "\n";
  const pid_t server = compiler().server().pid();
  EXPECT_TRUE(build(cuda_unit(kSaxpy)).ok());
  EXPECT_EQ(compiler().server().pid(), server);
}

INSTANTIATE_TEST_SUITE_P(
    Compile, CudaBomb,
    testing::Values(
        "template <int N> struct T { static constexpr int v = T<N + 1>::v; };\n"
        "__device__ int k = T<0>::v;",
        "template <int D, long I> struct T { static constexpr int v = T<D - 1, 2 * I>::v + "
        "T<D - 1, 2 * I + 1>::v; };\n"
        "template <long I> struct T<0, I> { static constexpr int v = 1; };\n"
        "__device__ int k = T<26, 0>::v;",
        "constexpr long spin() { long s = 0; for (long i = 0; i < (1l << 60); ++i) s += i; return "
        "s; }\n"
        "__device__ constexpr long k = spin();",
        "__device__ char big[1l << 33] = {1};", "#include \"/dev/zero\"",
        "#include \"candidate.cu\"",
        "#define A(x) x x x x x x x x x x\n#define B(x) A(A(A(A(A(A(A(x)))))))\n"
        "__device__ char s[] = B(B(\"0123456789\"));",
        "#define A(x) x x x x x x x x x x\n#define E(x) A(A(A(A(A(x)))))\n"
        "E(E(int oh = no_such_name_in_this_world_at_all;))"));

TEST_F(CudaCompilerTest, AServerThatIsKilledIsStartedAgain) {
  ASSERT_TRUE(build(cuda_unit(kSaxpy)).ok());
  const pid_t server = compiler().server().pid();
  ASSERT_GT(server, 0);
  ASSERT_EQ(::kill(server, SIGKILL), 0);
  const CompileResult result = build(cuda_unit(kSaxpy));
  EXPECT_TRUE(result.ok()) << result.evidence;
  EXPECT_NE(compiler().server().pid(), server);
}

TEST_F(CudaCompilerTest, AServerKilledInMidCompileIsStartedAgain) {
  ASSERT_TRUE(build(cuda_unit(kSaxpy)).ok());
  const pid_t server = compiler().server().pid();
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ::kill(server, SIGKILL);
  });
  std::vector<BuildUnit> units;
  for (int i = 0; i < 8; ++i) {
    units.push_back(cuda_unit(kSaxpy));
    units.back().defines = {"N" + std::to_string(i)};
  }
  for (const auto& result : build_all(compiler(), units, 4)) {
    ASSERT_TRUE(result.has_value()) << describe(result.error());
    EXPECT_TRUE(result->ok()) << result->evidence;
  }
  killer.join();
}

TEST_F(CudaCompilerTest, AMissingOrBrokenNvrtcIsTheMachinesTrouble) {
  CudaCompilerSettings settings;
  settings.objects = folder.path();
  const auto none = CudaCompiler::create(settings);
  EXPECT_THAT(none, IsErrorAbout(ErrorCode::MissingProgram, "nvrtc"));

  const platform::Path fake = folder.path() / "libnvrtc.so.13";
  ASSERT_TRUE(platform::write_file_atomic(fake, "no library", false).has_value());
  settings.toolkit.nvrtc = NvrtcFiles{fake, {}};
  settings.jail = level();
  auto broken = CudaCompiler::create(settings);
  ASSERT_TRUE(broken.has_value());
  const auto result = (*broken)->build(cuda_unit(kSaxpy));
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().advice, Advice::Stop);
  EXPECT_THAT(result, IsErrorAbout(ErrorCode::MissingProgram, "nvrtc does not load"));
}

}  // namespace
}  // namespace kw::compile
