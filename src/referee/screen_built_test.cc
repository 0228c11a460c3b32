// Screening of objects that a real compiler built: attacks that no word of the source shows, and
// honest idioms.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/cpu_compiler.h"
#include "referee/screen.h"

namespace kw::referee {
namespace {

class ScreenBuilt : public ::testing::Test {
 protected:
  platform::TempDir folder = *platform::TempDir::create();

  /// What screening sees in `void f(float* y)` with this source; None if it accepts the source.
  EvidenceKind seen(const std::string& source) { return evidence(source).kind; }

  /// The same with its fields. A failure of the compiler is of kind NotCompiled.
  Evidence evidence(const std::string& source) {
    compile::CpuCompilerSettings settings;
    settings.objects = folder.path();
    constexpr JailLevel kLevels[] = {JailLevel::Namespace, JailLevel::Landlock, JailLevel::None};
    settings.jail = kLevels[static_cast<int>(platform::probe_jail().best())];
    auto compiler = compile::CpuCompiler::create(settings);
    if (!compiler) return failed(compiler.error());
    BuildUnit unit;
    unit.main_file = "candidate.cpp";
    unit.files = {{"iface.h", "extern \"C\" void f(float* y);\n"},
                  {"candidate.cpp", source},
                  {"trampoline.cpp",
                   "extern \"C\" __attribute__((visibility(\"default\"))) void kw_entry(void** a) "
                   "{ f(*(float**)a[0]); }\n"}};
    const auto built = (*compiler)->build(unit);
    if (!built) return failed(built.error());
    if (!built->ok()) return failed(built->evidence);
    const BuiltObject& object = built->object.front();
    const auto seen = screen_object(*platform::read_file(object.path), Candidate(), object.marks);
    return seen.verdict ? seen.verdict->seen : Evidence();
  }

  static Evidence failed(const Error& error) {
    ADD_FAILURE() << describe(error);
    return {.kind = EvidenceKind::NotCompiled};
  }
  static Evidence failed(const std::string& why) {
    ADD_FAILURE() << why;
    return {.kind = EvidenceKind::NotCompiled, .detail = why};
  }
};

#if defined(__x86_64__)

TEST_F(ScreenBuilt, SeesInstructionsHoweverTheyAreWritten) {
  for (const char* body : {"asm volatile(\"rd\" \"tsc\" ::: \"eax\", \"edx\");",
                           "asm volatile(\".byte 0x0f, 0x31\" ::: \"eax\", \"edx\");",
                           // The instruction is hidden within the immediate of another one, and a
                           // branch leads there.
                           "asm volatile(\"jmp 1f + 1\\n1: mov $0x9090310f, %%eax\" ::: \"eax\", "
                           "\"edx\");"}) {
    const Evidence clock = evidence("void f(float* y) { " + std::string(body) + " y[0] = 1; }");
    EXPECT_EQ(clock.kind, EvidenceKind::ClockInstruction) << body;
    EXPECT_EQ(clock.subject, "rdtsc") << body;
    EXPECT_THAT(clock.names, ::testing::ElementsAre(::testing::StartsWith("f"))) << body;
  }
  const Evidence call =
      evidence("void f(float* y) { asm volatile(\".byte 15, 5\" ::: \"memory\"); y[0] = 1; }");
  EXPECT_EQ(call.kind, EvidenceKind::SystemCallInstruction);
  EXPECT_EQ(call.subject, "syscall");
  // The bytes of rdtsc within an operand are no instruction, because nothing jumps there.
  EXPECT_EQ(seen("void f(float* y) { asm volatile(\"mov $0x9090310f, %%eax\" ::: \"eax\"); "
                 "y[0] = 1; }"),
            EvidenceKind::None);
}

TEST_F(ScreenBuilt, SeesWhatRunsWhenAnObjectIsLoaded) {
  const std::string end = "void f(float* y) { y[0] = (float)loads; }";
  EXPECT_EQ(seen("#define J(a, b) a##b\nint loads; __attribute__((J(const, ructor))) static "
                 "void g() { ++loads; }" +
                 end),
            EvidenceKind::RunsAtLoad);
  EXPECT_EQ(seen("int loads; extern \"C\" { [[gnu::used]] static void g() { ++loads; } }\n"
                 "asm(\".sec\" \"tion .init_array, \\\"aw\\\"\\n.quad g\\n.text\");" +
                 end),
            EvidenceKind::RunsAtLoad);
  EXPECT_EQ(
      seen("int loads; asm(\".section .init, \\\"ax\\\"\\nnop\\nnop\\nnop\\nnop\\nnop\\n.text\");" +
           end),
      EvidenceKind::AssemblyAtLoad);
  EXPECT_EQ(seen("int loads; [[gnu::destructor]] static void g() { ++loads; }" + end),
            EvidenceKind::RunsAtUnload);
  EXPECT_EQ(seen("int loads; asm(\".section .own, \\\"awx\\\"\\nnop\\n.text\");" + end),
            EvidenceKind::WritableCode);
  EXPECT_EQ(seen("#include <cstdlib>\nextern \"C\" { static void a() {} void (*pick())() { "
                 "exit(0); return a; } void b() __attribute__((ifunc(\"pick\"))); }\n"
                 "void f(float* y) { b(); y[0] = 1; }"),
            EvidenceKind::CallingResolver);
}

TEST_F(ScreenBuilt, TellsAFutexFromOtherCallsOfTheKernel) {
  EXPECT_EQ(seen("#include <barrier>\n#include <latch>\n#include <semaphore>\n#include <atomic>\n"
                 "static std::barrier<> b(1);\nvoid f(float* y) { b.arrive_and_wait(); "
                 "std::latch l(1); l.arrive_and_wait(); std::counting_semaphore<2> s(1); "
                 "s.acquire(); s.release(); std::atomic<int> a{1}; a.wait(0); a.notify_all(); "
                 "y[0] = 1; }"),
            EvidenceKind::None);
  EXPECT_EQ(seen("#include <unistd.h>\nvoid f(float* y) { y[0] = (float)syscall(39); }"),
            EvidenceKind::SystemCallFunction);
  EXPECT_EQ(seen("#include <unistd.h>\nvoid f(float* y) { volatile long n = 202; y[0] = "
                 "(float)syscall(n, y, 0); }"),
            EvidenceKind::SystemCallFunction);
  // Only the code before the jump in memory loads the number of the system call.
  EXPECT_EQ(seen("extern \"C\" long through(long, ...);\n"
                 "asm(\"mov $202, %edi\\n.globl through\\n.type through, "
                 "@function\\nthrough: jmp syscall@plt\\n\");\n"
                 "void f(float* y) { y[0] = (float)through(39); }"),
            EvidenceKind::SystemCallFunction);
  EXPECT_EQ(seen("#include <unistd.h>\nlong (*volatile g)(long, ...) = syscall;\n"
                 "void f(float* y) { y[0] = (float)g(39); }"),
            EvidenceKind::SystemCallFunction);
}

#endif

TEST_F(ScreenBuilt, SeesArithmeticOfAFunctionsOwn) {
  const std::string sum = "float s = 0; for (int i = 0; i < 99; ++i) s += y[i]; y[0] = s; ";
  for (const std::string& source :
       {"#pragma GCC optimize(\"Ofast\")\nvoid f(float* y) { " + sum + "}",
        "#define P(x) _Pragma(#x)\nP(GCC optimize(\"fast-math\"))\nvoid f(float* y) { " + sum + "}",
        "#define J(a, b) a##b\nvoid f(float*) __attribute__((J(opti, mize)(\"O\" \"fast\")));\n"
        "void f(float* y) { " +
            sum + "}",
        "#pragma GCC push_options\n#pragma GCC optimize(\"associative-math\")\n"
        "struct S { template <class T> static void g(T* y) { " +
            sum +
            "} };\n"
            "#pragma GCC pop_options\nvoid f(float* y) { S::g(y); }"})
    EXPECT_EQ(seen(source), EvidenceKind::ArithmeticChanged) << source;
  EXPECT_EQ(seen("#pragma GCC optimize(\"O3,unroll-loops\")\n#pragma GCC target(\"avx2\")\n"
                 "void f(float* y) { " +
                 sum + "}"),
            EvidenceKind::None);
}

TEST_F(ScreenBuilt, LeavesHonestIdiomsAlone) {
  for (const char* source : {
           "#include <cmath>\nstruct T { float t[64]; T() { for (int i = 0; i < 64; ++i) t[i] = "
           "std::sin((float)i); } };\nstatic const T table;\nvoid f(float* y) { y[0] = "
           "table.t[(int)y[1]]; }",
           "#include <iostream>\nvoid f(float* y) { std::cout << y[0]; }",
           "#include <thread>\n#include <future>\nvoid f(float* y) { std::thread t([&] { y[0] = 1; "
           "}); t.join(); y[1] = std::async([] { return 1.f; }).get(); }",
           "#include <pthread.h>\nstatic void* g(void* y) { return y; }\nvoid f(float* y) { "
           "pthread_t t; pthread_create(&t, nullptr, g, y); pthread_join(t, nullptr); }",
           "#include <x86intrin.h>\nvoid f(float* y) { y[0] = 1; }",
           "__attribute__((target_clones(\"avx2\", \"default\"))) static float g(float* y) { float "
           "s = 0; for (int i = 0; i < 9; ++i) s += y[i]; return s; }\n"
           "void f(float* y) { y[0] = g(y); }",
           "void f(float* y) { y[0] = __builtin_cpu_supports(\"avx2\") ? 1 : 2; }",
       }) {
#if !defined(__x86_64__)
    if (std::string_view(source).find("avx2") != std::string_view::npos ||
        std::string_view(source).find("x86") != std::string_view::npos)
      continue;
#endif
    EXPECT_EQ(seen(source), EvidenceKind::None) << source;
  }
}

}  // namespace
}  // namespace kw::referee
