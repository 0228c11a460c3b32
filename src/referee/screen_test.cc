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

Candidate using_openblas() {
  Candidate candidate;
  candidate.libraries = {"openblas"};
  return candidate;
}

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

TEST(ScreenText, RejectsHostCodeAndSymbolsOfInlinePtx) {
  for (const char* text : {
           "asm(\".file 1 \\\"/etc/shadow\\\"\n.section .nv.info, {.b8 0}\");",
           "asm(\".global .align 4 .b8 kept[64];\\n.visible .entry x() {}\");",
           "asm(\".vis\"\n   \"ible .entry x() {}\");",
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
    EXPECT_THAT(s.verdict->evidence, ::testing::ContainsRegex("[;,:] ")) << "no advice: " << text;
  }
}

TEST(ScreenText, LeavesCodeAloneThatIsNotCompiled) {
  for (const char* text : {
           "#if 0\nint main() { k<<<1, 1>>>(); }\n#endif\n",
           "#ifdef DEBUG\nint main() {}\n#endif\n",
           "#if defined(BENCH)\n#ifdef X\n#endif\nint main() {}\n#else\nint f();\n#endif\n",
           "#if 1\nint f();\n#else\nint main() {}\n#endif\n",
           "#ifdef UNUSED\n#include \"/etc/passwd\"\n#endif\n",
       })
    EXPECT_EQ(evidence(screen_text(text, "k.cu", Target::Cuda)), "") << text;
  for (const char* text : {
           "#define DEBUG\n#ifdef DEBUG\nint main() {}\n#endif\n",
           "// kw: tune DEBUG = 0, 1\n#ifdef DEBUG\nint main() {}\n#endif\n",
           "#ifdef __CUDA_ARCH__\nint main() {}\n#endif\n",
           "#ifdef DEBUG\n#else\nint main() {}\n#endif\n",
           "#if 0\n#elif 1\nint main() {}\n#endif\n",
           "#if 0\n#endif\nint main() {}\n",
       })
    EXPECT_TRUE(screen_text(text, "k.cu", Target::Cuda).verdict.has_value()) << text;
}

TEST(ScreenText, LooksAtPtxBehindMacrosThatAHeaderMayDefine) {
  EXPECT_THAT(evidence(screen_text("#include <climits>\n#ifdef CHAR_BIT\n__device__ void f() { "
                                   "asm(\".visible .func g() {}\"); }\n#endif\n",
                                   "k.cu", Target::Cuda)),
              HasSubstr("declares a symbol"));
  EXPECT_EQ(evidence(screen_text(
                "#if 0\n__device__ void f() { asm(\".visible .func g() {}\"); }\n#endif\n", "k.cu",
                Target::Cuda)),
            "");
}

TEST(ScreenText, ReadsPastAByteOrderMark) {
  EXPECT_EQ(evidence(screen_text("\xEF\xBB\xBF// kw: launch k\nint f();\n", "k.cu", Target::Cuda)),
            "");
  EXPECT_THAT(evidence(screen_text("\xEF\xBB\xBF#include \"/etc/passwd\"\n", "k.cpp")),
              HasSubstr("#include names a file"));
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
           "struct S { __device__ void free(int); __device__ int clock(); __device__ int main(); "
           "};",
           "__device__ int f(S s) { s.free(1); return s.clock() + s.main(); }",
           "#include <cuda_fp16.h>\n#include <cute/tensor.hpp>\n__global__ void k() {}",
       })
    EXPECT_EQ(evidence(screen_text(text, "k.cu", Target::Cuda)), "") << text;
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
                           "pthread_cond_timedwait",
                           "pthread_mutex_clocklock",
                           "sched_setaffinity",
                           "gnu_get_libc_version",
                           "_ZNSt14basic_ifstreamIcSt11char_traitsIcEE4openEPKcSt13_Ios_Openmode",
                           "_ZNSt6chrono3_V212steady_clock3nowEv",
                           "mprotect",
                           "setrlimit"}) {
    const auto elf = make_elf({{name, false}, {"saxpy", true}}, {"libc.so.6"});
    const std::string said = evidence(screen_object(elf, Candidate()));
    EXPECT_THAT(said, HasSubstr("the object uses '"));
    if (std::string_view(name).starts_with("_Z")) continue;
    EXPECT_THAT(said, HasSubstr(name));
  }
}

TEST(ScreenObject, RejectsTakingTheSystemsPlace) {
  for (const char* name : {"malloc", "memcpy", "omp_get_thread_num", "GOMP_parallel", "_Znwm",
                           "clock_gettime", "main", "expf"}) {
    const auto elf = make_elf({{name, true}}, {});
    EXPECT_THAT(evidence(screen_object(elf, Candidate())), HasSubstr("in place of the system's"))
        << name;
  }
}

TEST(ScreenObject, RejectsLibrariesThatTheTaskDoesNotAllow) {
  const auto elf = make_elf({{"saxpy", true}}, {"libc.so.6", "libopenblas.so.0"});
  EXPECT_THAT(evidence(screen_object(elf, Candidate())), HasSubstr("libopenblas.so.0"));
  EXPECT_EQ(evidence(screen_object(elf, using_openblas())), "");
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
                             {"__tls_get_addr", false},
                             {"pthread_create", false},
                             {"pthread_join", false},
                             {"pthread_cond_wait", false},
                             {"sem_wait", false},
                             {"thrd_create", false},
                             {"_ZNSt6thread4joinEv", false},
                             {"_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", false},
                             {"__mulsc3", false},
                             {"__divti3", false},
                             {"snprintf", false},
                             {"qsort", false},
                             {"sched_yield", false}},
                            {"libstdc++.so.6", "libm.so.6", "libmvec.so.1", "libgomp.so.1",
                             "libgcc_s.so.1", "libc.so.6"});
  const Screening s = screen_object(elf, Candidate());
  EXPECT_EQ(evidence(s), "");
  EXPECT_TRUE(s.findings.empty());
}

TEST(ScreenObject, SaysWhatToWriteInstead) {
  EXPECT_THAT(evidence(screen_object(make_elf({{"getenv", false}}, {}), Candidate())),
              HasSubstr("knobs"));
  EXPECT_THAT(evidence(screen_object(make_elf({{"nanosleep", false}}, {}), Candidate())),
              HasSubstr("std::barrier"));
  EXPECT_THAT(evidence(screen_object(make_elf({{"gnu_get_libc_version", false}}, {}), Candidate())),
              HasSubstr("not among the functions that kernels may use"));
}

TEST(ScreenObject, TakesArithmeticByClaimOnly) {
  const auto elf = make_elf({{"saxpy", true}}, {});
  const std::vector<CodeMark> marks{{"arithmetic", "\"Ofast\"", "void saxpy (int n)"}};
  Candidate candidate;
  EXPECT_THAT(evidence(screen_object(elf, candidate, marks)), HasSubstr("// kw: option fast_math"));
  candidate.options = {"fast_math"};
  EXPECT_EQ(evidence(screen_object(elf, candidate, marks)), "");
}

TEST(PointOut, FindsTheWordThatARejectionSpeaksOf) {
  Screening s = refuse("the object uses 'std::chrono::_V2::steady_clock::now()', which looks");
  point_out(s, "int a;\n// now\nauto t = std::chrono::steady_clock::now();\n", "k.cpp");
  EXPECT_EQ(s.findings.at(0).place, "k.cpp:3:37");
  Screening other = refuse("the instruction rdtsc in 'f' reads");
  point_out(other, "int f() { asm(\"rdtsc\"); }", "k.cpp");
  EXPECT_EQ(other.findings.at(0).place, "k.cpp:1:16");
}

TEST(ScreenObject, SurvivesEveryTruncationAndEveryFlippedByte) {
  const std::string elf = make_elf({{"saxpy", true}, {"memcpy", false}}, {"libc.so.6"});
  ASSERT_EQ(evidence(screen_object(elf, Candidate())), "");
  for (std::size_t size = 0; size < elf.size(); ++size)
    (void)screen_object(std::string_view(elf).substr(0, size), Candidate());
  for (std::size_t i = 0; i < elf.size(); ++i)
    for (const int flip : {1, 0x80, 0xff}) {
      std::string damaged = elf;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      (void)screen_object(damaged, Candidate());
    }
  EXPECT_THAT(evidence(screen_object(std::string_view(elf).substr(0, 40), Candidate())),
              HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace kw::referee
