// Tests of the real compiler on honest, broken and hostile sources: each gives a result, not an
// error.
// SPDX-License-Identifier: Apache-2.0
#include "compile/cpu_compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include <iostream>

#include "compile/build_for_test.h"
#include "compile/elf.h"
#include "compile/remarks.h"

namespace kw::compile {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kDeclaration =
    "extern \"C\" void f(int n, float a, const float* x, float* y);\n";
constexpr const char* kTrampoline =
    "extern \"C\" __attribute__((visibility(\"default\"))) void kw_entry(void** a) {\n"
    "  f(*(int*)a[0], *(float*)a[1], *(const float**)a[2], *(float**)a[3]);\n}\n";
constexpr const char* kGood =
    "void f(int n, float a, const float* x, float* y) {\n"
    "#pragma omp parallel for\n"
    "  for (int i = 0; i < n; ++i) y[i] += a * x[i];\n}\n";

BuildUnit unit_of(std::string source) {
  BuildUnit unit;
  unit.role = "candidate";
  unit.main_file = "candidate.cpp";
  unit.files = {{"iface.h", kDeclaration},
                {"candidate.cpp", std::move(source)},
                {"trampoline.cpp", kTrampoline}};
  return unit;
}

class CpuCompilerTest : public testing::Test {
 protected:
  platform::TempDir folder = *platform::TempDir::create();

  std::unique_ptr<CpuCompiler> make(Limits limits = {}) {
    CpuCompilerSettings settings;
    settings.objects = folder.path();
    const JailLevel levels[] = {JailLevel::Namespace, JailLevel::Landlock, JailLevel::None};
    settings.jail = levels[static_cast<int>(platform::probe_jail().best())];
    if (settings.jail != JailLevel::Namespace)
      std::cerr << "note: these builds run in a jail of level " << name_of(settings.jail) << "\n";
    settings.limits = limits;
    auto compiler = CpuCompiler::create(settings);
    if (!compiler) ADD_FAILURE() << describe(compiler.error());
    return std::move(*compiler);
  }

  CompileResult build(const BuildUnit& unit, Limits limits = {}) {
    auto result = make(limits)->build(unit);
    if (!result) {
      ADD_FAILURE() << describe(result.error());
      return {};
    }
    return std::move(*result);
  }
};

TEST_F(CpuCompilerTest, BuildsAKernelAndSaysWhatWasVectorised) {
  const CompileResult result = build(unit_of(kGood));
  ASSERT_TRUE(result.ok()) << result.evidence;
  const std::string bytes = *platform::read_file(result.object.at(0).path);
  EXPECT_EQ(result.object[0].bytes, static_cast<std::int64_t>(bytes.size()));
  const ElfFacts facts = *read_elf(bytes);
  EXPECT_THAT(facts.exported, testing::ElementsAre("kw_entry"));
  EXPECT_THAT(facts.imported, Contains("GOMP_parallel"));
  EXPECT_THAT(facts.needed, Contains("libgomp.so.1"));
  EXPECT_FALSE(facts.has_constructors);
  const auto loops = parse_remarks(result.object[0].log);
  ASSERT_FALSE(loops.empty());
  EXPECT_GT(loops[0].vector_bytes, 0);
}

TEST_F(CpuCompilerTest, EqualUnitsGiveEqualBytes) {
  EXPECT_EQ(build(unit_of(kGood)).object.at(0).sha256, build(unit_of(kGood)).object.at(0).sha256);
}

TEST_F(CpuCompilerTest, KnobsAndOptionsReachTheSource) {
  BuildUnit unit = unit_of(
      "#ifndef __FAST_MATH__\n#error no\n#endif\n"
      "void f(int n, float a, const float*, float* y) { static_assert(BLOCK == 64); y[0] = a + n; "
      "}");
  unit.defines = {"BLOCK=64"};
  unit.options = {"fast_math", "unroll_loops", "O2"};
  const CompileResult result = build(unit);
  ASSERT_TRUE(result.ok()) << result.evidence;
  // The object must not link crtfastmath: loading it must not change how the process treats
  // denormals.
  EXPECT_FALSE(read_elf(*platform::read_file(result.object[0].path))->has_constructors);
  unit.options = {"fastmath"};
  EXPECT_THAT(build(unit), IsRefused(BuildTrouble::UnknownOption, "fastmath -> fast_math"));
}

TEST_F(CpuCompilerTest, WhatAnyProcessorIsToRunAsksForNoInstructionsOfThisOne) {
  BuildUnit unit =
      unit_of(std::string("#if defined(__SSE3__)\n#error built for this one\n#endif\n") + kGood);
  EXPECT_EQ(build(unit).outcome, Outcome::CompileFailed) << "every x86-64 of twenty years has SSE3";
  unit.arch = kAnyProcessor;
  EXPECT_EQ(build(unit).outcome, Outcome::Correct);
  unit.arch = "-fplugin=x";
  EXPECT_THAT(build(unit), IsRefused(BuildTrouble::UnknownProcessor, "-fplugin=x"));
}

TEST_F(CpuCompilerTest, AnErrorHasItsPlaceFrameAndNearestName) {
  const CompileResult result =
      build(unit_of("void f(int n, float a, const float* input, float* y) {\n"
                    "  for (int i = 0; i < n; ++i) y[i] = a * inptu[i];\n}\n"));
  EXPECT_EQ(result.outcome, Outcome::CompileFailed);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].place, "candidate.cpp:2:42");
  EXPECT_EQ(result.findings[0].about, "inptu -> input");
  EXPECT_THAT(result.findings[0].frame, HasSubstr("inptu[i]"));
  EXPECT_EQ(result.trouble, BuildTrouble::Diagnosed);
  EXPECT_TRUE(result.evidence.starts_with("candidate.cpp:2:42: "));
  const Verdict verdict = result.verdict();
  EXPECT_EQ(verdict.seen.kind, EvidenceKind::NotCompiled);
  EXPECT_EQ(verdict.seen.place, "candidate.cpp:2:42");
  EXPECT_EQ(verdict.seen.detail, result.findings[0].text);
  EXPECT_EQ(verdict.evidence, result.evidence);
}

TEST_F(CpuCompilerTest, AMissingOrWronglyTypedEntryIsExplained) {
  const std::string wanted = "extern \"C\" void f(int n, float a, const float* x, float* y)";
  const std::string wrong = "void f(int, double, const float*, float*)";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", wanted}, {"void g() {}", wanted}, {wrong + " {}", wanted + " -> " + wrong}};
  for (const auto& [source, about] : cases) {
    const CompileResult result = build(unit_of(source));
    EXPECT_EQ(result.outcome, Outcome::CompileFailed) << source;
    EXPECT_EQ(result.trouble, BuildTrouble::Diagnosed) << source;
    ASSERT_FALSE(result.findings.empty()) << source;
    EXPECT_EQ(result.findings[0].about, about) << source;
    EXPECT_EQ(result.findings[0].kind, FindingKind::Diagnostic) << source;
  }
}

TEST_F(CpuCompilerTest, BinarySourceIsAFailureLikeAnyOther) {
  std::string noise;
  for (int i = 0; i < 4096; ++i) noise += static_cast<char>((i * 131 + i / 7) & 0xff);
  EXPECT_EQ(build(unit_of(noise)).outcome, Outcome::CompileFailed);
}

TEST_F(CpuCompilerTest, AHugeSourceIsRefusedUnread) {
  Limits limits;
  limits.source_bytes = 1000;
  const CompileResult result = build(unit_of(std::string(2000, ' ')), limits);
  EXPECT_EQ(result.outcome, Outcome::OutOfResources);
  EXPECT_THAT(result, IsRefused(BuildTrouble::SourceTooLarge, "1000 B"));
  EXPECT_EQ(result.verdict().seen.place, "");
  EXPECT_EQ(result.verdict().seen.detail, result.evidence);
}

TEST_F(CpuCompilerTest, FilesOfTheMachineCannotBeRead) {
  if (make()->identity().empty() || platform::probe_jail().best() == platform::JailLevel::None) {
    if (::getenv("KW_REQUIRE_JAIL") != nullptr) FAIL() << "no jail on this machine";
    std::cerr << "not tested: this machine offers no jail\n";
    GTEST_SKIP() << "no jail on this machine";
  }
  const platform::Path secret = folder.path() / "secret.h";
  ASSERT_TRUE(platform::write_file_atomic(secret, "int kw_secret_7 = ;\n", false).has_value());
  for (const std::string& line :
       {"#include \"" + secret.string() + "\"\n",
        "asm(\".incbin \\\"" + secret.string() + "\\\"\");\n",
        std::string("#include </etc/passwd>\n"), std::string("#include </proc/self/environ>\n")}) {
    const CompileResult result = build(unit_of(line + kGood));
    EXPECT_EQ(result.outcome, Outcome::CompileFailed) << line;
    for (const Finding& f : result.findings) {
      EXPECT_THAT(f.text, Not(HasSubstr("kw_secret_7")));
      EXPECT_THAT(f.text, Not(HasSubstr("root")));
    }
  }
}

// Each of these sources would take minutes or gigabytes without limits.
class Bomb : public CpuCompilerTest, public testing::WithParamInterface<const char*> {};

TEST_P(Bomb, EndsAsAValue) {
  Limits limits;
  limits.cpu_seconds = 1;
  limits.wall_ns = 20'000'000'000;
  limits.address_space_bytes = std::uint64_t{1} << 30;
  limits.object_bytes = std::uint64_t{4} << 20;
  const CompileResult result = build(unit_of(GetParam() + std::string("\n") + kGood), limits);
  EXPECT_FALSE(result.ok());
  EXPECT_FALSE(result.evidence.empty());
  EXPECT_LT(result.evidence.size(), 700u);
  EXPECT_TRUE(result.object.empty());
  std::cerr << name_of(result.outcome) << ": " << result.evidence << "\n";
}

INSTANTIATE_TEST_SUITE_P(
    Compile, Bomb,
    testing::Values(
        "template <int N> struct T { static constexpr int v = T<N + 1>::v; }; int k = T<0>::v;",
        "template <int D, long I> struct T { static constexpr int v = T<D - 1, 2 * I>::v + "
        "T<D - 1, 2 * I + 1>::v; };\n"
        "template <long I> struct T<0, I> { static constexpr int v = 1; }; int k = T<26, 0>::v;",
        "constexpr long spin() { long s = 0; for (long i = 0; i < (1l << 60); ++i) s += i; return "
        "s; }\n"
        "constexpr long k = spin();",
        "asm(\".zero 10000000000\");", "char big[1l << 33] = {1};", "#include \"/dev/zero\"",
        "asm(\".incbin \\\"/dev/zero\\\"\");", "#include \"candidate.cpp\"",
        "#define A(x) x x x x x x x x x x\n#define B(x) A(A(A(A(x))))\n"
        "char s[] = B(B(\"0123456789\"));"));

TEST(ProcessorIdentity, TakesTheFirstProcessorAndLeavesOutWhatVaries) {
  const std::string text =
      "processor\t: 0\nvendor_id\t: X\nmodel\t\t: 2\nmodel name\t: EPYC\ncpu MHz\t: 2596.1\n"
      "flags\t\t: sse avx\n\nprocessor\t: 1\nflags\t: other\n";
  EXPECT_EQ(processor_identity(text),
            "vendor_id\t: X\nmodel\t\t: 2\nmodel name\t: EPYC\nflags\t\t: sse avx\n");
}

TEST_F(CpuCompilerTest, AMissingCompilerIsTheMachinesTrouble) {
  CpuCompilerSettings settings;
  settings.objects = folder.path();
  settings.program = "no-such-compiler";
  EXPECT_FALSE(CpuCompiler::create(settings).has_value());
}

TEST(Elf, DamagedBytesAreAnErrorNeverACrash) {
  EXPECT_FALSE(read_elf("").has_value());
  EXPECT_FALSE(read_elf("\x7f"
                        "ELF")
                   .has_value());
  const std::string self =
      *platform::read_file(*platform::executable_dir() / "compile_test", std::size_t{1} << 30);
  for (std::size_t size = 0; size < 4096; size += 61) (void)read_elf(self.substr(0, size));
  std::string damaged = self;
  for (std::size_t i = 16; i < 64; ++i) {
    damaged[i] = static_cast<char>(damaged[i] ^ 0xff);
    (void)read_elf(damaged);
  }
}

}  // namespace
}  // namespace kw::compile
