// Screening: what it rejects, and honest kernels that it must leave alone.
// SPDX-License-Identifier: Apache-2.0
#include "referee/screen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "referee/elf_for_test.h"

namespace kw::referee {
namespace {

using ::testing::HasSubstr;

/// What was seen; of kind None if the text or object was accepted.
Evidence seen_of(const Screening& s) { return s.verdict ? s.verdict->seen : Evidence(); }
EvidenceKind kind_of(const Screening& s) { return seen_of(s).kind; }

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
    EXPECT_EQ(kind_of(screen_text(text, "k.cu", Target::Cuda)), EvidenceKind::None) << text;
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
  EXPECT_EQ(kind_of(screen_text("#include <climits>\n#ifdef CHAR_BIT\n__device__ void f() { "
                                "asm(\".visible .func g() {}\"); }\n#endif\n",
                                "k.cu", Target::Cuda)),
            EvidenceKind::PtxSymbol);
  EXPECT_EQ(kind_of(screen_text(
                "#if 0\n__device__ void f() { asm(\".visible .func g() {}\"); }\n#endif\n", "k.cu",
                Target::Cuda)),
            EvidenceKind::None);
}

TEST(ScreenText, ReadsPastAByteOrderMark) {
  EXPECT_EQ(kind_of(screen_text("\xEF\xBB\xBF// kw: launch k\nint f();\n", "k.cu", Target::Cuda)),
            EvidenceKind::None);
  EXPECT_EQ(kind_of(screen_text("\xEF\xBB\xBF#include \"/etc/passwd\"\n", "k.cpp")),
            EvidenceKind::IncludeByPath);
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
    EXPECT_EQ(kind_of(screen_text(text, "k.cu", Target::Cuda)), EvidenceKind::None) << text;
}

TEST(ScreenText, TellsRawLiteralsFromDirectives) {
  EXPECT_EQ(kind_of(screen_text("const char* s = R\"(\n#include </etc/passwd>\n)\";\n", "k.cpp")),
            EvidenceKind::None);
  for (const char* text : {
           "const char* s = FOOR\"(\";\n#include </etc/passwd>\n//)\"\n",
           "const char* s = R\"x( )x\\\n\" R\"y( )x\";\n#include </etc/passwd>\n//)y\"\n",
       })
    EXPECT_EQ(kind_of(screen_text(text, "k.cpp")), EvidenceKind::IncludeByPath) << text;
}

TEST(ScreenText, RejectsWhatIsNoText) {
  EXPECT_EQ(kind_of(screen_text("", "k.cpp")), EvidenceKind::EmptySource);
  EXPECT_EQ(kind_of(screen_text(std::string_view("\x7f"
                                                 "ELF\0\1",
                                                 6),
                                "k.cpp")),
            EvidenceKind::BinarySource);
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
    EXPECT_EQ(kind_of(screen_text(text, "k.cpp")), EvidenceKind::None) << text;
}

TEST(ScreenClaims, FollowsTheTasksRestrictions) {
  Task task;
  task.restrictions.options = {"fast_math"};
  Candidate candidate;
  candidate.options = {"fast_math"};
  EXPECT_EQ(kind_of(screen_claims(candidate, task)), EvidenceKind::None);
  candidate.options = {"O2"};
  const Evidence option = seen_of(screen_claims(candidate, task));
  EXPECT_EQ(option.kind, EvidenceKind::OptionNotAllowed);
  EXPECT_EQ(option.subject, "O2");
  EXPECT_THAT(option.names, ::testing::ElementsAre("fast_math"));
  candidate.options.clear();
  candidate.libraries = {"openblas"};
  const Evidence library = seen_of(screen_claims(candidate, task));
  EXPECT_EQ(library.kind, EvidenceKind::LibraryNotAllowed);
  EXPECT_EQ(library.subject, "openblas");
  candidate.origin = Origin::Baseline;
  EXPECT_EQ(kind_of(screen_claims(candidate, task)), EvidenceKind::None);
  candidate.trust_class = TrustClass::HostLauncher;
  EXPECT_EQ(kind_of(screen_claims(candidate, task)), EvidenceKind::HostLauncher);
}

TEST(ScreenObject, RejectsForbiddenImportsByName) {
  using enum EvidenceKind;
  for (const auto& [name, kind] : std::vector<std::pair<const char*, EvidenceKind>>{
           {"dlopen", LoadsCode},
           {"system", StartsProcesses},
           {"fork", StartsProcesses},
           {"execve", StartsProcesses},
           {"socket", UsesNetwork},
           {"open", ReadsFiles},
           {"__open", ReadsFiles},
           {"_environ", UsesEnvironment},
           {"fopen64", ReadsFiles},
           {"ptrace", ReachesSystem},
           {"clock_gettime", ReadsClocks},
           {"omp_get_wtime", ReadsClocks},
           {"setenv", UsesEnvironment},
           {"getenv", UsesEnvironment},
           {"sigaction", HandlesSignals},
           {"prctl", ReachesSystem},
           {"pthread_cond_timedwait", ReadsClocks},
           {"pthread_mutex_clocklock", ReadsClocks},
           {"sched_setaffinity", BindsThreads},
           {"gnu_get_libc_version", UnknownImport},
           {"_ZNSt14basic_ifstreamIcSt11char_traitsIcEE4openEPKcSt13_Ios_Openmode", ReadsFiles},
           {"_ZNSt6chrono3_V212steady_clock3nowEv", ReadsClocks},
           {"mprotect", LoadsCode},
           {"setrlimit", ReachesSystem}}) {
    const auto elf = make_elf({{name, false}, {"saxpy", true}}, {"libc.so.6"});
    const Evidence seen = seen_of(screen_object(elf, Candidate()));
    EXPECT_EQ(name_of(seen.kind), name_of(kind)) << name;
    if (!std::string_view(name).starts_with("_Z")) {
      EXPECT_EQ(seen.subject, name);
    }
  }
}

TEST(ScreenObject, RejectsTakingTheSystemsPlace) {
  for (const char* name : {"malloc", "memcpy", "omp_get_thread_num", "GOMP_parallel", "_Znwm",
                           "clock_gettime", "main", "expf"}) {
    const auto elf = make_elf({{name, true}}, {});
    EXPECT_EQ(kind_of(screen_object(elf, Candidate())), EvidenceKind::SystemNameDefined) << name;
  }
}

TEST(ScreenObject, RejectsLibrariesThatTheTaskDoesNotAllow) {
  const auto elf = make_elf({{"saxpy", true}}, {"libc.so.6", "libopenblas.so.0"});
  const Evidence needed = seen_of(screen_object(elf, Candidate()));
  EXPECT_EQ(needed.kind, EvidenceKind::LibraryNeeded);
  EXPECT_EQ(needed.subject, "libopenblas.so.0");
  EXPECT_EQ(kind_of(screen_object(elf, using_openblas())), EvidenceKind::None);
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
  EXPECT_EQ(kind_of(s), EvidenceKind::None);
  EXPECT_TRUE(s.findings.empty());
}

TEST(ScreenObject, SaysWhatToWriteInstead) {
  EXPECT_EQ(kind_of(screen_object(make_elf({{"getenv", false}}, {}), Candidate())),
            EvidenceKind::UsesEnvironment);
  EXPECT_EQ(kind_of(screen_object(make_elf({{"nanosleep", false}}, {}), Candidate())),
            EvidenceKind::ReadsClocks);
  EXPECT_EQ(kind_of(screen_object(make_elf({{"gnu_get_libc_version", false}}, {}), Candidate())),
            EvidenceKind::UnknownImport);
}

TEST(ScreenObject, TakesArithmeticByClaimOnly) {
  const auto elf = make_elf({{"saxpy", true}}, {});
  const std::vector<CodeMark> marks{{"arithmetic", "\"Ofast\"", "void saxpy (int n)"}};
  Candidate candidate;
  EXPECT_EQ(kind_of(screen_object(elf, candidate, marks)), EvidenceKind::ArithmeticChanged);
  candidate.options = {"fast_math"};
  EXPECT_EQ(kind_of(screen_object(elf, candidate, marks)), EvidenceKind::None);
}

TEST(PointOut, FindsTheWordThatShowsTheReason) {
  Screening s =
      screen_object(make_elf({{"_ZNSt6chrono3_V212steady_clock3nowEv", false}}, {}), Candidate());
  ASSERT_EQ(kind_of(s), EvidenceKind::ReadsClocks);
  EXPECT_EQ(seen_of(s).subject, "std::chrono::_V2::steady_clock::now()");
  point_out(s, "int a;\n// now\nauto t = std::chrono::steady_clock::now();\n", "k.cpp");
  EXPECT_EQ(s.findings.at(0).place, "k.cpp:3:37");
  EXPECT_EQ(seen_of(s).place, "k.cpp:3:37");
  Screening other = refuse_object({.kind = EvidenceKind::ClockInstruction}, {"rdtsc", "f"});
  point_out(other, "int f() { asm(\"rdtsc\"); }", "k.cpp");
  EXPECT_EQ(other.findings.at(0).place, "k.cpp:1:16");
  Screening unknown = refuse({.kind = EvidenceKind::WritableCode});
  point_out(unknown, "int memory; // executable\n", "k.cpp");
  EXPECT_EQ(unknown.findings.at(0).place, "");
}

TEST(ScreenObject, SurvivesEveryTruncationAndEveryFlippedByte) {
  const std::string elf = make_elf({{"saxpy", true}, {"memcpy", false}}, {"libc.so.6"});
  ASSERT_EQ(kind_of(screen_object(elf, Candidate())), EvidenceKind::None);
  for (std::size_t size = 0; size < elf.size(); ++size)
    (void)screen_object(std::string_view(elf).substr(0, size), Candidate());
  for (std::size_t i = 0; i < elf.size(); ++i)
    for (const int flip : {1, 0x80, 0xff}) {
      std::string damaged = elf;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      (void)screen_object(damaged, Candidate());
    }
  EXPECT_EQ(kind_of(screen_object(std::string_view(elf).substr(0, 40), Candidate())),
            EvidenceKind::ObjectUnreadable);
}

}  // namespace
}  // namespace kw::referee
