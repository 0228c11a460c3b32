// Tests of kw specialise and kw optimize --mode specialised: one kernel with a build for each
// shape, judged on this machine.
// SPDX-License-Identifier: Apache-2.0
#include "kw.h"
#include "replies.h"

namespace kw::program {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// The kernel leaves out three quarters of the work where the size is a compile-time constant.
const char* const kTunedKernel =
    "// kw: tune UNUSED = 1, 2\n"
    "void twice(int n, const float* x, float* y) {\n"
    "#ifdef KW_CONST_n\n"
    "#define ROUNDS 8\n"
    "#endif\n"
    "#ifdef ROUNDS\n"
    "  static_assert(KW_CONST_n == 524288);\n"
    "  const int rounds = ROUNDS;\n"
    "#else\n"
    "  const int rounds = 32;\n"
    "#endif\n"
    "  for (int i = 0; i < n; ++i) {\n"
    "    float sum = 0;\n"
    "    for (int k = 0; k < rounds; ++k) sum += x[i] * (2.0f / rounds);\n"
    "    y[i] = sum;\n"
    "  }\n"
    "}\n";

TEST(Specialise, MakesAKernelThatIsJudgedLikeAnyOther) {
  const Workspace w(Whose::Suite);
  write_known_task(w);
  w.write("mine.cpp", kTunedKernel);
  const Ran ran = w.kw({"specialise", "mine.cpp", "--task", "twice", "--points", "1", "--baseline",
                        "reference", "--json"});
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  EXPECT_THAT(ran.err, HasSubstr("kw: large: "));
  const json told = ran.json();
  EXPECT_EQ(told["mode"], "specialised");
  EXPECT_EQ(told["confirmed"], true);
  EXPECT_EQ(told["shapes"][0]["sizes"]["n"], 524288);
  EXPECT_EQ(told["over_baseline"]["verdict"]["outcome"], "correct");
  const std::string path = told["path"];
  EXPECT_THAT(path, HasSubstr("runs/specialised/twice-1/twice.cpp"));
  EXPECT_THAT(w.read("runs/specialised/twice-1/twice.cpp"), HasSubstr("if (n == 524288)"));
  const json certificate = json::parse(w.read("runs/specialised/twice-1/certificate.json"));
  EXPECT_TRUE(certificate["shapes"][0].contains("over_itself"));
  EXPECT_EQ(certificate["terms"]["gate"]["c"], 400);
  EXPECT_EQ(certificate["terms"]["workloads"].back()["dims"]["n"], 524288);
  const Ran judged = w.kw({"judge", "runs/specialised/twice-1/twice.cpp", "--task", "twice",
                           "--until", "check", "--json"});
  EXPECT_EQ(judged.json()["verdict"]["outcome"], "correct") << judged.err;
}

// The kernel is an attack that is right at every shape except the one that is specialised.
TEST(Specialise, ABuildThatIsWrongAtItsShapeIsNotKept) {
  const Workspace w(Whose::Suite);
  write_known_task(w);
  w.write("mine.cpp",
          "void twice(int n, const float* x, float* y) {\n"
          "#ifdef KW_CONST_n\n"
          "  n = n / 2;\n"
          "#endif\n"
          "  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];\n"
          "}\n");
  const Ran ran =
      w.kw({"specialise", "mine.cpp", "--task", "twice", "--baseline", "reference", "--json"});
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_EQ(ran.json()["confirmed"], false);
  EXPECT_EQ(ran.json()["shapes"][0]["failed"], 1);
  EXPECT_THAT(ran.json()["shapes"][0]["first_failure"].get<std::string>(),
              HasSubstr("wrong_result"));
  EXPECT_THAT(ran.err, HasSubstr("1 of which failed"));
  EXPECT_FALSE(std::filesystem::exists(w.path() / "runs/specialised"));
}

// The kernel is vectorised, which the reference is not, and works once instead of four times where
// the size is a compile-time constant; without the repetition such short calls would be bound by
// memory.
const char* const kReply =
    "#ifdef KW_CONST_n\n"
    "  const int passes = 1;\n"
    "#else\n"
    "  const int passes = 4;\n"
    "#endif\n"
    "  for (int pass = 0; pass < passes; ++pass)\n"
    "    for (int i = 0; i < n; ++i) {\n"
    "      float sum = 0;\n"
    "      for (int k = 0; k < 16; ++k) sum += x[i] * (2.0f / 16);\n"
    "      y[i] = sum;\n"
    "    }\n";

/// A short run whose only candidate is kReply, with `head` before its source.
Ran run_of_reply(const Workspace& w, const std::string& head = "") {
  write_known_task(w);
  w.write("replies.txt", "===\n" + kernel(kReply, head));
  return w.kw({"optimize", "twice", "--mode", "specialised", "--model", "scripted:replies.txt",
               "--strategy", "best-of-n", "--writes", "1", "--baseline", "reference", "--time",
               "5s", "--json"});
}

TEST(Specialise, OptimizeEndsWithABuildForEachShapeOfItsWinner) {
  const Workspace w(Whose::Suite);
  const Ran ran = run_of_reply(w);
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  const json told = ran.json();
  EXPECT_EQ(told["best"]["confirmed"], true);
  const json shapes = told["specialised"];
  EXPECT_EQ(shapes["mode"], "specialised");
  EXPECT_EQ(shapes["confirmed"], true) << shapes.dump();
  EXPECT_THAT(w.read("runs/specialised/twice-1/twice.cpp"), HasSubstr("if (n == 524288)"));
}

// A winner whose source cannot be put in a namespace cannot be specialised and remains the winner
// as it is.
TEST(Specialise, AWinnerWithoutBuildsIsToldAsOne) {
  const Workspace w(Whose::Suite);
  const Ran ran = run_of_reply(w, "using Real = float;\n#include <cmath>\n");
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  const json told = ran.json();
  EXPECT_EQ(told["best"]["confirmed"], true);
  EXPECT_EQ(told["specialised"]["confirmed"], false);
  EXPECT_THAT(told["specialised"]["error"]["what"].get<std::string>(), HasSubstr("#include"));
  EXPECT_THAT(ran.err, HasSubstr("kw specialise twice-1"));
}

}  // namespace
}  // namespace kw::program
