// Tests of kw export KERNEL --as FORM: exports are built and run as a user would, and kernels that
// a form cannot express are refused.
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "kw.h"
#include "stand_in.h"

namespace kw::program {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A kernel with names that clash when it is exported twice: a template that both exports define
// with the same arguments, an inline function, a global, a macro, a function with C linkage.
const char* const kCrowdedKernel =
    "// Mine.\n"
    "// SPDX-License-Identifier: MIT\n"
    "// kw: tune FACTOR = 2, 3\n"
    "#include <math.h>\n"
    "#define TIMES(v) (FACTOR * (v))\n"
    "template <class Real>\n"
    "void reference(int n, const Real* x, Real* y) {\n"
    "  for (int i = 0; i < n; ++i) y[i] = TIMES(x[i]);\n"
    "}\n"
    "int calls = 0;\n"
    "inline int count() { return calls += FACTOR; }\n"
    "extern \"C\" void helper(int n, const float* x, float* y) { reference<float>(n, x, y); }\n"
    "extern \"C\" double fabs(double);\n"
    "extern \"C\" void twice(int n, const float* x, float* y) {\n"
    "  count();\n"
    "  helper(n, x, y);\n"
    "  if (n > 0 && fabs(y[0]) < 0) y[0] = float(calls);\n"
    "}\n";

class Export : public testing::Test {
 protected:
  void SetUp() override {
    write_easy_task(w_, "twice");
    w_.write("mine.cpp", kCrowdedKernel);
  }
  Ran export_as(const std::string& form, const Words& more = {}) const {
    Words words{"export", "mine.cpp", "--task", "twice", "--as", form};
    words.insert(words.end(), more.begin(), more.end());
    return w_.kw(words);
  }
  std::string refused(const Words& more) const {
    return w_.refusal({"export", "mine.cpp", "--task", "twice"}, more);
  }
  bool exists(const std::string& file) const { return fs::exists(w_.path() / file); }

  Workspace w_{Whose::Suite};
};

TEST_F(Export, TwoHeadersInOneProgramOfCShareNothing) {
  for (const auto& [name, knob] : {std::pair("two", "FACTOR=2"), std::pair("three", "FACTOR=3")}) {
    const Ran ran = export_as("header", {"--name", name, "--set", knob, "--out", name});
    if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_TRUE(exists(std::string(name) + "/LICENSE"));
  }
  EXPECT_THAT(w_.read("three/three.h"), AllOf(HasSubstr("SPDX-License-Identifier: MIT"),
                                              HasSubstr("FACTOR = 3"), HasSubstr("-march=native")));
  // Macros of the including program that have names of the kernel must keep their values.
  w_.write("kernels.cpp",
           "#define FACTOR 99\n#define TIMES 98\n"
           "#define TWO_IMPLEMENTATION\n#include \"two/two.h\"\n"
           "#define THREE_IMPLEMENTATION\n#include \"three/three.h\"\n"
           "static_assert(FACTOR == 99 && TIMES == 98);\n");
  w_.write("apart.cpp", "#define THREE_IMPLEMENTATION\n#include \"three/three.h\"\n");
  w_.write("first.cpp", "#define TWO_IMPLEMENTATION\n#include \"two/two.h\"\n");
  w_.write("main.c",
           "#include <stdio.h>\n#include \"two/two.h\"\n#include \"three/three.h\"\n"
           "int main(void) {\n  float x[3] = {1, 10, 100}, a[3], b[3];\n"
           "  two(3, x, a);\n  three(3, x, b);\n"
           "  printf(\"%g %g %g %g\\n\", a[0], a[2], b[0], b[2]);\n  return 0;\n}\n");
  const Ran together = w_.shell(
      "set -e\ngcc -std=c99 -Wall -Werror -c main.c\n"
      "g++ -std=c++20 -O1 -fopenmp -w -c kernels.cpp\n"
      "g++ main.o kernels.o -fopenmp -o together && ./together\n"
      "g++ -std=c++20 -O1 -fopenmp -Wall -Werror -c first.cpp apart.cpp\n"
      "g++ main.o first.o apart.o -fopenmp -o separate && ./separate\n"
      "nm -C --defined-only kernels.o | awk '$2 ~ /^[A-Zu]$/ && $2 !~ /[tdbr]/ {print $2, $3}' | "
      "grep -E '^[TDBRWVu] ' | sort\n");
  EXPECT_EQ(together.code, 0) << together.err;
  // Exactly two symbols are global and none is weak, so that no linker merges functions of the two
  // exports.
  EXPECT_EQ(together.out, "2 200 3 300\n2 200 3 300\nT three\nT two\n");
}

TEST_F(Export, CMakeFolderBuildsTestsAndInstallsAndItsTestCanFail) {
  const Ran ran = export_as("cmake", {"--json"});
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto told = ran.json();
  EXPECT_EQ(told["folder"], "twice-cmake");
  EXPECT_EQ(told["confirmed"], false);
  EXPECT_THAT(told["files"].dump(), HasSubstr("CMakeLists.txt"));
  for (const auto& file : told["files"])
    EXPECT_TRUE(exists("twice-cmake/" + file.get<std::string>())) << file;
  const Ran built = w_.shell(
      "cmake -S twice-cmake -B b -DCMAKE_INSTALL_PREFIX=$PWD/there && cmake --build b && ctest "
      "--test-dir b && b/kw_twice_example && cmake --install b && ls there/include");
  EXPECT_EQ(built.code, 0) << built.out << built.err;
  EXPECT_THAT(built.out, AllOf(HasSubstr("100% tests passed"), HasSubstr("kw_twice.h")));

  ASSERT_EQ(export_as("cmake", {"--set", "FACTOR=3", "--out", "wrong"}).code, 0);
  const Ran wrong = w_.shell("cmake -S wrong -B c && cmake --build c && c/kw_twice_test");
  EXPECT_EQ(wrong.code, 1) << wrong.out << wrong.err;
  EXPECT_THAT(wrong.out, HasSubstr("elements are wrong"));
}

TEST_F(Export, SourceCompilesAsItsCommentSays) {
  const Ran ran = export_as("source", {"--set", "FACTOR=3"});
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  ASSERT_EQ(ran.code, 0) << ran.err;
  const std::string text = w_.read("twice-source/kw_twice.cpp");
  EXPECT_THAT(text, AllOf(HasSubstr("#define FACTOR 3\n"), HasSubstr("// kw: tune FACTOR = 3\n"),
                          HasSubstr("the exported file belongs to no run"),
                          HasSubstr("// Build it with\n")));
  const Ran built = w_.shell(
      "cd twice-source && eval \"$(sed -n '/^\\/\\/ Build it with$/{n;s/^\\/\\/   //p}' "
      "kw_twice.cpp)\" && nm -D --defined-only kw_twice.so");
  EXPECT_EQ(built.code, 0) << built.err;
  EXPECT_THAT(built.out, HasSubstr(" T twice"));
}

TEST_F(Export, WrongWordsAreToldAndNothingIsWritten) {
  EXPECT_THAT(refused({"--as", "haeder"}), HasSubstr("did you mean 'header'"));
  EXPECT_THAT(refused({"--as", "header", "--format", "csv"}), HasSubstr("not both"));
  EXPECT_THAT(refused({"--as", "header", "--reward", "speedup"}), HasSubstr("--format jsonl"));
  EXPECT_THAT(refused({}), HasSubstr("--task has an effect only with --as"));
  EXPECT_THAT(refused({"--as", "header", "--name", "2fast"}), HasSubstr("identifier"));
  EXPECT_THAT(refused({"--as", "header", "--name", "twice"}),
              HasSubstr("the name of the kernel's own function"));
  EXPECT_THAT(refused({"--as", "header", "--set", "FACTR=2"}), HasSubstr("FACTOR"));
  EXPECT_THAT(refused({"--as", "header", "--arch", "sm_90"}), HasSubstr("target cuda"));
  EXPECT_THAT(w_.refusal({"export", "mine.cpp", "--as", "header"}, {}), HasSubstr("needs --task"));
  EXPECT_THAT(w_.refusal({"export", "gone.cpp", "--as", "header"}, {}),
              HasSubstr("no such file either"));
  w_.write("full/mine.txt", "precious");
  EXPECT_THAT(refused({"--as", "header", "--out", "full"}), HasSubstr("no export wrote"));
  w_.write("file", "precious");
  EXPECT_THAT(refused({"--as", "header", "--out", "file"}), HasSubstr("not a folder"));
  EXPECT_FALSE(exists("twice-header"));
}

TEST_F(Export, WritesOverItsOwnFolderAndLeavesWhatOthersPutThere) {
  const Ran ran = export_as("header", {"--out", "there"});
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  ASSERT_EQ(ran.code, 0) << ran.err;
  w_.write("there/notes.txt", "mine");
  w_.write("precious", "mine");
  w_.write("there/.kw-export", w_.read("there/.kw-export") + "../precious\n");
  ASSERT_EQ(export_as("source", {"--out", "there"}).code, 0);
  EXPECT_FALSE(exists("there/kw_twice.h"));
  EXPECT_TRUE(exists("there/kw_twice.cpp"));
  EXPECT_EQ(w_.read("there/notes.txt"), "mine");
  EXPECT_EQ(w_.read("precious"), "mine") << "the list of a folder reaches nothing outside of it";
}

TEST_F(Export, WhatBearsNoNamespaceIsRefusedWithTheCompilersWord) {
  w_.write("mine.cpp",
           "#include <functional>\nstruct Key { int v; };\n"
           "template <> struct std::hash<Key> { int operator()(Key) const { return 2; } };\n"
           "void twice(int n, const float* x, float* y) {\n"
           "  for (int i = 0; i < n; ++i) y[i] = float(std::hash<Key>()({1})) * x[i];\n}\n");
  const Ran ran = export_as("header");
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("inside a namespace"), HasSubstr("--as source")));
  EXPECT_FALSE(exists("twice-header"));
  EXPECT_EQ(export_as("source").code, 0);
}

TEST_F(Export, CodeAboveAnIncludeIsNoHindrance) {
  w_.write("mine.cpp",
           "static float two() { return 2; }\n#ifdef __linux__\nstatic int unused_here;\n"
           "#include <vector>\n#endif\n#include <cmath>\n"
           "void twice(int n, const float* x, float* y) {\n"
           "  std::vector<float> v(1, two());\n"
           "  for (int i = 0; i < n; ++i) y[i] = std::fabs(v[0]) * x[i];\n}\n");
  const Ran ran = export_as("cmake");
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  ASSERT_EQ(ran.code, 0) << ran.err;
  const Ran built = w_.shell("cmake -S twice-cmake -B b && cmake --build b && ctest --test-dir b");
  EXPECT_EQ(built.code, 0) << built.out << built.err;
}

TEST(ExportOfARun, TellsWhatWasConfirmedAndCarriesItsCertificate) {
  const Workspace w(Whose::Suite);
  const Ran ran = write_won_run(w);
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  const Ran out = w.kw({"export", "twice-1", "--as", "source", "--json"});
  ASSERT_EQ(out.code, 0) << out.err;
  EXPECT_EQ(out.json()["confirmed"], true);
  EXPECT_EQ(out.json()["run"], "twice-1");
  const std::string text = w.read("runs/twice-1/export/source/kw_twice.cpp");
  EXPECT_THAT(text, AllOf(HasSubstr("attempt 1 (001_right) of run twice-1"),
                          HasSubstr("x reference ("), HasSubstr("confirmed by fresh processes"),
                          HasSubstr("device:  "), HasSubstr("measured 20")));
  EXPECT_EQ(w.read("runs/twice-1/export/source/certificate.json"),
            w.read("runs/twice-1/best/certificate.json"));
  EXPECT_THAT(w.refusal({"export", "twice-1", "--as", "source"}, {"--task", "twice"}),
              HasSubstr("a run has its own task"));
  // Exporting a run's data as CSV works beside exporting its kernel.
  EXPECT_THAT(w.kw({"export", "twice-1", "--format", "csv"}).out, HasSubstr("attempt,name"));
}

TEST(ExportOfARun, SaysInWordsThatAWinnerIsNotConfirmed) {
  const Workspace w(Whose::Suite);
  write_known_task(w);
  // The kernel is no faster than the reference, against which it is measured.
  std::string same = w.read("twice/reference.cpp");
  w.write("twice/candidates/001_same.cpp",
          same + "void twice(int n, const float* x, float* y) { reference<float>(n, x, y); }\n");
  const Ran ran =
      w.kw({"optimize", "twice", "--attempts", "1", "--baseline", "reference", "--json"});
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  if (ran.json()["best"].is_null()) GTEST_SKIP() << "a busy machine let nothing be measured";
  const Ran out = w.kw({"export", "twice-1", "--as", "header", "--out", "there", "--json"});
  ASSERT_EQ(out.code, 0) << out.err;
  EXPECT_EQ(out.json()["confirmed"], false);
  EXPECT_THAT(w.read("there/kw_twice.h"), HasSubstr("NOT CONFIRMED"));
  EXPECT_FALSE(fs::exists(w.path() / "there/certificate.json"));
}

// The kernel has the form that kw specialise writes, with a dispatch by shape.
TEST_F(Export, ADispatchByShapeGoesAlong) {
  w_.write("mine.cpp",
           "// twice: a build of its own for 1 of its shapes, and one for all others.\n"
           "// kw: technique specialised\n"
           "#ifdef ROUNDS\n#define KW_HAD_ROUNDS\n#endif\n"
           "\nnamespace kw_arm_1 {  // large\n#undef KW_CONST_n\n#define KW_CONST_n 524288\n"
           "#undef twice\n#define twice kw_arm_1_twice\n#define ROUNDS 1\n"
           "void twice(int n, const float* x, float* y) {\n  static_assert(KW_CONST_n == 524288);\n"
           "  for (int i = 0; i < n; ++i) y[i] = 2 * x[i] * ROUNDS;\n  y[0] = -1;\n}\n"
           "#ifndef KW_HAD_ROUNDS\n#undef ROUNDS\n#endif\n#undef KW_CONST_n\n#undef twice\n}\n"
           "\nnamespace kw_rest {  // all other shapes\n#undef twice\n#define twice kw_rest_twice\n"
           "void twice(int n, const float* x, float* y) {\n"
           "  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];\n}\n#undef twice\n}\n"
           "\nvoid twice(int n, const float* x, float* y) {\n  if (n == 524288)\n"
           "    return kw_arm_1::kw_arm_1_twice(524288, x, y);\n"
           "  return kw_rest::kw_rest_twice(n, x, y);\n}\n");
  const Ran ran = export_as("header");
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  ASSERT_EQ(ran.code, 0) << ran.err;
  w_.write("main.cpp",
           "#define KW_TWICE_IMPLEMENTATION\n#include \"kw_twice.h\"\n#include <stdio.h>\n"
           "#include <vector>\nint main() {\n  for (int n : {1000, 524288}) {\n"
           "    std::vector<float> x(n, 4), y(n);\n    kw_twice(n, x.data(), y.data());\n"
           "    printf(\"%g %g\\n\", y[0], y[1]);\n  }\n}\n");
  const Ran built =
      w_.shell("g++ -std=c++20 -O1 -fopenmp -Itwice-header main.cpp -o main && ./main");
  EXPECT_EQ(built.code, 0) << built.err;
  EXPECT_EQ(built.out, "8 8\n-1 8\n") << "the shape with constants goes to its own build";
}

/// Runs tests/export/run on shipped kernels; on a machine with a GPU the same script runs for cuda.
Ran run_of_forms(const Workspace& w, const std::string& words, const std::string& environment) {
  return w.shell("export " + environment + "\n" + std::string(KW_SOURCE_DIR) +
                 "/tests/export/run --kw $KW " + words);
}

TEST(ExportForms, ShippedKernelsForProcessorsWorkInEveryForm) {
  const Workspace w(Whose::Suite);
  const std::string top(KW_SOURCE_DIR);
  w.write("probe.cpp", kCrowdedKernel);
  write_easy_task(w, "twice");
  const Ran probe = w.kw({"export", "probe.cpp", "--task", "twice", "--as", "header"});
  if (lacks_jail(probe)) GTEST_SKIP() << probe.err;
  const Ran ran = run_of_forms(w,
                               top + "/playbook/matmul_padded/20_packed.cpp matmul " + top +
                                   "/playbook/histogram/10_tables.cpp histogram",
                               "KW_EXPORT_FORMS='header cmake source'");
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("0 wrong, 0 left out"));
}

// KW_TEST_PYTHON names a Python with PyTorch; without it the test tries python3.
TEST(ExportForms, AnOperatorOfPyTorchPassesOpcheckAndIsCompiled) {
  const Workspace w(Whose::Suite);
  const char* named = std::getenv("KW_TEST_PYTHON");
  const std::string python = named != nullptr ? named : "python3";
  const Ran asked = w.shell(python + " -c 'import torch, setuptools, pip'");
  if (asked.code != 0)
    GTEST_SKIP() << python << " has no PyTorch with setuptools and pip; KW_TEST_PYTHON names one";
  const std::string top(KW_SOURCE_DIR);
  const Ran ran =
      run_of_forms(w,
                   "--python " + python + " " + top + "/playbook/saxpy/20_vectors.cpp saxpy " +
                       top + "/playbook/fctd3d/20_streamed.cpp fctd3d",
                   "KW_EXPORT_FORMS=torch");
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("0 wrong, 0 left out"));
}

class GpuExport : public StandIn {
 protected:
  std::string environment() const {
    std::string text;
    for (const std::string& entry : env()) text += entry + " ";
    return text;
  }
  Ran forms(const std::string& forms, const std::string& kernels) const {
    return run_of_forms(w_, "--target cuda --arch sm_90a " + kernels,
                        environment() + "KW_EXPORT_FORMS='" + forms + "'");
  }
  std::string honest(const std::string& name) const {
    return std::string(KW_SOURCE_DIR) + "/tests/honest/cuda/" + name + ".cu saxpy ";
  }
};

TEST_F(GpuExport, HeaderAndFolderWalkThePlanOnTheStandIn) {
  const std::string top(KW_SOURCE_DIR);
  const Ran ran = forms("header cmake", top + "/playbook/softmax_padded/50_gpu_staged.cu softmax " +
                                            top + "/tests/honest/cuda/fctd3d_two_steps.cu fctd3d");
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("0 wrong, 0 left out"));
}

TEST_F(GpuExport, HeadersSayEveryDirectiveOfAPlan) {
  const Ran ran =
      forms("header", honest("saxpy_fill_and_copy") + honest("saxpy_fork_and_join") +
                          honest("saxpy_table") + honest("saxpy_zeroed_workspace") +
                          honest("saxpy_template") + honest("saxpy_cooperative") +
                          honest("saxpy_programmatic_chain") + honest("saxpy_dispatch_by_size"));
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("0 wrong, 0 left out"));
}

TEST_F(GpuExport, FaultsAreCodesWithWords) {
  w_.write("mine.cu",
           "// kw: require n < 2000\n"
           "// kw: workspace held f32 [n]\n"
           "// kw: launch twice_kernel grid(ceil_div(n, 256)) block(256) args(n, x, held)\n"
           "// kw: copy held to y\n"
           "extern \"C\" __global__ void twice_kernel(int n, const float* x, float* y) {\n"
           "  const int i = blockIdx.x * 256 + threadIdx.x;\n"
           "  if (i < n) y[i] = 2 * x[i];\n"
           "}\n");
  const Words words{"export", "mine.cu", "--task", "twice", "--as", "header", "--arch", "sm_90a"};
  // The kernel's requirement n < 2000 excludes the timed shape, so the export is refused.
  const Ran refused = kw(words);
  EXPECT_EQ(refused.code, 2) << refused.out;
  EXPECT_THAT(refused.err, HasSubstr("n < 2000"));
  std::string source = w_.read("mine.cu");
  source.replace(source.find("n < 2000"), 8, "n < 20000");
  w_.write("mine.cu", source);
  ASSERT_EQ(kw(words).code, 0) << kw(words).err;
  w_.write(
      "main.cpp",
      "#define KW_TWICE_IMPLEMENTATION\n#include \"kw_twice.h\"\n"
      "int main() {\n  size_t bytes = 0;\n  float x = 0;\n"
      "  const auto say = [](int code) { printf(\"%d %s\\n\", code, kw_twice_error(code)); };\n"
      "  say(kw_twice_workspace(30000, &x, &x, &bytes));\n"
      "  say(kw_twice_workspace(0, &x, &x, &bytes));\n"
      "  const int code = kw_twice_workspace(1000, &x, &x, &bytes);\n"
      "  printf(\"%d %zu\\n\", code, bytes);\n"
      "  alignas(256) static float y[1024];\n"
      "  say(kw_twice(1000, y, y, nullptr, 0, nullptr));\n"
      "  say(kw_twice(1000, y + 1, y, y, sizeof y, nullptr));\n}\n");
  const Ran built = w_.shell(
      "g++ -std=c++17 -Itwice-header main.cpp -ldl -pthread -o main && "
      "./main; LD_LIBRARY_PATH=$PWD/gpu ./main");
  EXPECT_EQ(built.code, 0) << built.err;
  EXPECT_THAT(built.out, AllOf(HasSubstr("-6 the kernel requires n < 20000\n"),
                               HasSubstr("-5 x (0)\n"), HasSubstr("0 4096\n"),
                               HasSubstr("-4 so many bytes of workspace are needed, aligned to 256 "
                                         "(4096)\n"),
                               HasSubstr("-5 x\n")));
}

TEST_F(GpuExport, SeveralArchitecturesGoIntoOneHeaderAndAnotherIsToldFromThem) {
  w_.write(
      "main.cpp",
      "#define KW_TWICE_IMPLEMENTATION\n#include \"kw_twice.h\"\n"
      "int main() {\n  alignas(256) static float x[1000], y[1000];\n  x[999] = 4;\n"
      "  const int code = kw_twice(1000, x, y, nullptr, 0, nullptr);\n"
      "  size_t bytes = 0;\n"
      "  for (int i = 0; i < 100000 && y[999] == 0; ++i) kw_twice_workspace(1000, x, y, &bytes);\n"
      "  printf(\"%d %g %s\\n\", code, y[999], kw_twice_error(code));\n}\n");
  const std::string run =
      "g++ -std=c++17 -Iout main.cpp -ldl -pthread -o main && LD_LIBRARY_PATH=$PWD/gpu ./main";
  const Words words{"export", "right.cu", "--task", "twice", "--as", "header", "--out", "out"};
  const auto with_arch = [&](const char* arch) {
    Words all = words;
    all.insert(all.end(), {"--arch", arch, "--json"});
    return kw(all);
  };
  const Ran both = with_arch("sm_80,sm_90a");
  ASSERT_EQ(both.code, 0) << both.err;
  EXPECT_EQ(both.json()["archs"].dump(), "[\"sm_80\",\"sm_90a\"]");
  EXPECT_EQ(w_.shell(run).out, "0 8 no error\n");
  ASSERT_EQ(with_arch("sm_80").code, 0);
  EXPECT_EQ(w_.shell(run).out,
            "-3 0 this GPU's architecture is not among those that were compiled for (90)\n");
}

TEST_F(GpuExport, WhatAFormCannotSayIsRefusedByName) {
  w_.write(
      "mine.cu",
      "// kw: launch twice_kernel grid(ceil_div(n, 256)) block(256) args(struct(n @ n % 1, x), y)\n"
      "struct Both { int n; const float* x; };\n"
      "extern \"C\" __global__ void twice_kernel(Both both, float* y) {\n"
      "  const int i = blockIdx.x * 256 + threadIdx.x;\n"
      "  if (i < both.n) y[i] = 2 * both.x[i];\n"
      "}\n");
  const Ran ran =
      kw({"export", "mine.cu", "--task", "twice", "--as", "header", "--arch", "sm_90a"});
  EXPECT_EQ(ran.code, 2) << ran.out;
  EXPECT_THAT(ran.err, AllOf(HasSubstr("from knobs alone"), HasSubstr("line 1")));
  EXPECT_FALSE(fs::exists(w_.path() / "twice-header"));
  EXPECT_THAT(kw({"export", "mine.cu", "--task", "twice", "--as", "header"}).err,
              HasSubstr("--arch must say which GPUs"));
  EXPECT_THAT(kw({"export", "mine.cu", "--task", "twice", "--as", "header", "--arch", "sm_9"}).err,
              HasSubstr("no GPU architecture 'sm_9'"));
}

}  // namespace
}  // namespace kw::program
