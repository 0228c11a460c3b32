// Screening: what it rejects, and honest kernels that it must leave alone.
// SPDX-License-Identifier: Apache-2.0
#include "referee/screen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "referee/elf_for_test.h"

namespace kw::referee {
namespace {

using ::testing::HasSubstr;

std::string evidence(const Screening& s) { return s.verdict ? s.verdict->evidence : ""; }

TEST(ScreenText, RejectsFilesReadAtCompileTime) {
  for (const char* text : {
           "#include \"/etc/passwd\"\nint f;",
           "#include </proc/self/maps>\n",
           "#include \"../reference.cpp\"\n",
           "#  include \\\n \"/tmp/x\"\n",
           "%:include \"/tmp/x\"\n",
           "#include \"a/../../b\"\n",
           "#define P \"/tmp/x\"\n#include P\n",
           "#if __has_include(\"/data/truth.bin\")\n#endif\n",
           "static const char d[] = {\n#embed \"truth.bin\"\n};\n",
           "asm(\".incbin \\\"/tmp/x\\\"\");\n",
           "__asm__ volatile (\n  \".incbin \\\"x\\\"\"\n);\n",
           "/* hidden */ # /* here */ include \"/tmp/x\"\n",
       }) {
    const Screening s = screen_text(text, "k.cpp");
    ASSERT_TRUE(s.verdict.has_value()) << text;
    EXPECT_EQ(s.verdict->stage, Stage::Screen);
    EXPECT_EQ(s.verdict->outcome, Outcome::Rejected);
    EXPECT_THAT(s.findings.at(0).place, HasSubstr("k.cpp:"));
  }
}

TEST(ScreenText, RejectsWhatDeviceCodeHasNoBusinessWith) {
  for (const char* text : {
           "__global__ void k(long long* t) { *t = clock64(); }",
           "__global__ void k(long long* t) { *t = clock (); }",
           "__device__ long long t() { long long v; asm volatile(\"mov.u64 %0, %globaltimer;\" : "
           "\"=l\"(v)); return v; }",
           "__device__ int t() { int v; asm(\"mov.u32 %0, %%clock;\" : \"=r\"(v)); return v; }",
           "asm(\".file 1 \\\"/etc/shadow\\\"\n.section .nv.info, {.b8 0}\");",
           "asm(\".global .align 4 .b8 kept[64];\\n.visible .entry x() {}\");",
           "__global__ void k() { printf(\"%d\", 1); }",
           "__global__ void k(float** p) { *p = (float*)malloc(64); }",
           "void run() { k<<<1, 32>>>(); }",
           "int main() { return 0; }",
           "__host__ void run() {}",
           "__global__ void k() { cudaDeviceSynchronize(); }",
           "#include \"/etc/passwd\"\n",
           "#include \"../reference_fast.cu\"\n",
       }) {
    const Screening s = screen_text(text, "k.cu", Target::Cuda);
    ASSERT_TRUE(s.verdict.has_value()) << text;
    EXPECT_EQ(s.verdict->outcome, Outcome::Rejected) << text;
  }
}

TEST(ScreenText, AcceptsHonestDeviceCode) {
  for (const char* text : {
           "// clock64() would be refused\n__global__ void k(float* x) { x[threadIdx.x] = 0; }",
           "__host__ __device__ inline int twice(int i) { return 2 * i; }",
           "__device__ void c(unsigned s, const void* g) { asm "
           "volatile(\"cp.async.cg.shared.global "
           "[%0], [%1], 16;\" :: \"r\"(s), \"l\"(g)); }",
           "__device__ void stop() { asm(\"trap;\"); asm(\"exit;\"); }",
           "__global__ void k() { cudaGridDependencySynchronize(); __nanosleep(20); }",
           "__device__ int clock_of_doom = 3; __device__ int f(int printf_) { return printf_; }",
           "#include <cuda_fp16.h>\n#include <cute/tensor.hpp>\n__global__ void k() {}",
       })
    EXPECT_EQ(evidence(screen_text(text, "k.cu", Target::Cuda)), "") << text;
}

TEST(ScreenText, RejectsLoadTimeCodeClocksAndSystemCalls) {
  for (const char* text : {
           "__attribute__((constructor)) void f() {}",
           "__attribute__((used, constructor(101))) static void f() {}",
           "[[gnu::constructor]] void f() {}",
           "unsigned long t() { return __rdtsc(); }",
           "void f() { asm volatile(\"syscall\" ::: \"memory\"); }",
           "void f() { asm(\"int $0x80\"); }",
           "unsigned t() { unsigned a; asm volatile(\"rdtsc\" : \"=a\"(a) :: \"edx\"); return a; }",
           "asm(\".section .init_array\\n.quad f\");",
       })
    EXPECT_TRUE(screen_text(text, "k.cpp").verdict.has_value()) << text;
}

TEST(ScreenText, TellsRawLiteralsFromDirectives) {
  EXPECT_EQ(evidence(screen_text("const char* s = R\"(\n#include </etc/passwd>\n)\";\n", "k.cpp")),
            "");
  for (const char* text : {
           "const char* s = FOOR\"(\";\n#include </etc/passwd>\n//)\"\n",
           "const char* s = R\"x( )x\\\n\" R\"y( )x\";\n#include </etc/passwd>\n//)y\"\n",
       })
    EXPECT_THAT(evidence(screen_text(text, "k.cpp")), HasSubstr("#include names a file")) << text;
}

TEST(ScreenText, RejectsWhatIsNoText) {
  EXPECT_THAT(evidence(screen_text("", "k.cpp")), HasSubstr("empty"));
  EXPECT_THAT(evidence(screen_text(std::string_view("\x7f"
                                                    "ELF\0\1",
                                                    6),
                                   "k.cpp")),
              HasSubstr("not text"));
}

TEST(ScreenText, LeavesHonestTextAlone) {
  for (const char* text : {
           "#include <cmath>\n#include <immintrin.h>\n#include \"iface.h\"\n",
           "// no #include \"/etc/passwd\" here, nor asm(\".incbin\")\nint f();\n",
           "/* __rdtsc() and __attribute__((constructor)) */ int f();\n",
           "const char* s = \"#include \\\"/etc/passwd\\\"\";\n",
           "struct A { A() = default; };  // a constructor\nint constructor(int n) { return n; }\n",
           "__attribute__((noinline)) void f(); int g(int constructor);\n",
           "#if defined(__AVX2__) && VEC < 8\n#endif\n",
           "void f(float* p) { asm volatile(\"\" : \"+r\"(p) :: \"memory\"); }\n",
           "void f() { __builtin_prefetch(nullptr); asm volatile(\"sfence\" ::: \"memory\"); }\n",
           "auto s = R\"(asm(\".incbin\"))\";\n",
           "#pragma omp parallel for\nint a = 1'000'000; char c = '\"';\n",
           "__attribute__((target_clones(\"avx2\",\"default\"))) void f();\n",
           "int x = a / b; // half\n#include <omp.h>\n",
       })
    EXPECT_EQ(evidence(screen_text(text, "k.cpp")), "") << text;
}

TEST(ScreenClaims, FollowsTheTasksRestrictions) {
  Task task;
  task.restrictions.options = {"fast_math"};
  Candidate candidate;
  candidate.options = {"fast_math"};
  EXPECT_EQ(evidence(screen_claims(candidate, task)), "");
  candidate.options = {"O2"};
  EXPECT_THAT(evidence(screen_claims(candidate, task)), HasSubstr("'O2'"));
  candidate.options.clear();
  candidate.libraries = {"openblas"};
  EXPECT_THAT(evidence(screen_claims(candidate, task)), HasSubstr("'openblas'"));
  candidate.origin = Origin::Baseline;
  EXPECT_EQ(evidence(screen_claims(candidate, task)), "");
  candidate.trust_class = TrustClass::HostLauncher;
  EXPECT_THAT(evidence(screen_claims(candidate, task)), HasSubstr("host launcher"));
}

TEST(ScreenObject, RejectsForbiddenImportsByName) {
  for (const char* name : {"dlopen",
                           "system",
                           "fork",
                           "execve",
                           "socket",
                           "open",
                           "__open",
                           "_environ",
                           "fopen64",
                           "ptrace",
                           "clock_gettime",
                           "omp_get_wtime",
                           "setenv",
                           "getenv",
                           "sigaction",
                           "prctl",
                           "syscall",
                           "pthread_create",
                           "_ZNSt14basic_ifstreamIcSt11char_traitsIcEE4openEPKcSt13_Ios_Openmode",
                           "_ZNSt6chrono3_V212steady_clock3nowEv",
                           "mprotect",
                           "setrlimit"}) {
    const auto elf = make_elf({{name, false}, {"saxpy", true}}, {"libc.so.6"});
    EXPECT_THAT(evidence(screen_object(elf, {})), HasSubstr(name));
  }
}

TEST(ScreenObject, RejectsTakingTheSystemsPlace) {
  for (const char* name : {"malloc", "memcpy", "omp_get_thread_num", "GOMP_parallel", "_Znwm",
                           "clock_gettime", "main", "expf"}) {
    const auto elf = make_elf({{name, true}}, {});
    EXPECT_THAT(evidence(screen_object(elf, {})), HasSubstr("in place of the system's")) << name;
  }
}

TEST(ScreenObject, RejectsLibrariesThatTheTaskDoesNotAllow) {
  const auto elf = make_elf({{"saxpy", true}}, {"libc.so.6", "libopenblas.so.0"});
  EXPECT_THAT(evidence(screen_object(elf, {})), HasSubstr("libopenblas.so.0"));
  EXPECT_EQ(evidence(screen_object(elf, {"openblas"})), "");
}

TEST(ScreenObject, LeavesHonestKernelsAlone) {
  const auto elf = make_elf({{"matmul", true},
                             {"_ZNSt6vectorIfSaIfEE17_M_default_appendEm", true},
                             {"GOMP_parallel", false},
                             {"omp_get_thread_num", false},
                             {"omp_get_num_threads", false},
                             {"malloc", false},
                             {"aligned_alloc", false},
                             {"free", false},
                             {"memcpy", false},
                             {"memset", false},
                             {"expf", false},
                             {"_ZGVdN8v_expf", false},
                             {"__expf_finite", false},
                             {"sqrtf", false},
                             {"__cxa_finalize", false},
                             {"_ITM_registerTMCloneTable", false},
                             {"__gmon_start__", false},
                             {"_ZSt20__throw_length_errorPKc", false},
                             {"_Znwm", false},
                             {"__stack_chk_fail", false},
                             {"__assert_fail", false},
                             {"exit", false},
                             {"mmap", false},
                             {"__gxx_personality_v0", false},
                             {"__tls_get_addr", false}},
                            {"libstdc++.so.6", "libm.so.6", "libmvec.so.1", "libgomp.so.1",
                             "libgcc_s.so.1", "libc.so.6"});
  const Screening s = screen_object(elf, {});
  EXPECT_EQ(evidence(s), "");
  EXPECT_TRUE(s.findings.empty());
}

TEST(ScreenObject, UnknownImportsAreANoteOnly) {
  const Screening s = screen_object(make_elf({{"gnu_get_libc_version", false}}, {}), {});
  EXPECT_FALSE(s.verdict.has_value());
  EXPECT_THAT(s.findings.at(0).text, HasSubstr("gnu_get_libc_version"));
}

TEST(ScreenObject, SurvivesEveryTruncationAndEveryFlippedByte) {
  const std::string elf = make_elf({{"saxpy", true}, {"memcpy", false}}, {"libc.so.6"});
  ASSERT_EQ(evidence(screen_object(elf, {})), "");
  for (std::size_t size = 0; size < elf.size(); ++size)
    (void)screen_object(std::string_view(elf).substr(0, size), {});
  for (std::size_t i = 0; i < elf.size(); ++i)
    for (const int flip : {1, 0x80, 0xff}) {
      std::string damaged = elf;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      (void)screen_object(damaged, {});
    }
  EXPECT_THAT(evidence(screen_object(std::string_view(elf).substr(0, 40), {})),
              HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace kw::referee
