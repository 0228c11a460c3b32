// Tests the way from a plain C function to an admitted task and a confirmed kernel, with generic
// variants only.
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "kw.h"

namespace kw::program {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Drafts a task from a C function that needs no change. C adds up its sums in order, while simd
/// computes eight at once. Timed shapes are smaller than those of the draft, because a sample of a
/// few hundred microseconds is enough.
void draft_norms(const Workspace& w) {
  w.write("norms.c",
          "void norms(int n, int m, const float *x, float *y) {\n"
          "  for (int i = 0; i < n; i++) {\n"
          "    float sum = 0;\n"
          "    for (int j = 0; j < m; j++) sum += x[i * m + j] * x[i * m + j];\n"
          "    y[i] = sum;\n"
          "  }\n"
          "}\n");
  const Ran drafted = w.kw({"task", "new", "norms", "--from", "norms.c", "--untimed"});
  ASSERT_EQ(drafted.code, 0) << drafted.err;
  std::string shapes = w.read("tasks/norms/shapes.yaml");
  const std::size_t timed = shapes.find("time:");
  ASSERT_NE(timed, std::string::npos);
  shapes.replace(timed, std::string::npos, "time: [ { name: large, n: 512, m: 1021 } ]\n");
  w.write("tasks/norms/shapes.yaml", shapes);
}

TEST(TaskFromC, IsAdmitted) {
  const Workspace w(Whose::Suite);
  draft_norms(w);
  const Ran checked = w.kw({"task", "check", "norms"});
  if (lacks_jail(checked)) GTEST_SKIP() << checked.err;
  EXPECT_EQ(checked.code, 0) << checked.out << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("norms is admitted\n"));
}

TEST(TaskFromC, HasANameThatATaskMayHave) {
  const Workspace w(Whose::Suite);
  w.write("2mm.c",
          "void twice(int n, const float *x, float *y) {\n"
          "  for (int i = 0; i < n; i++) y[i] = 2 * x[i];\n}\n");
  const Ran drafted = w.kw({"task", "new", "2mm", "--from", "2mm.c", "--untimed"});
  ASSERT_EQ(drafted.code, 0) << drafted.err;
  EXPECT_THAT(drafted.out, AllOf(HasSubstr("tasks/k_2mm\n"), HasSubstr("check: the name: ")));
  EXPECT_THAT(w.read("tasks/k_2mm/task.yaml"), HasSubstr("name: k_2mm\n"));
}

TEST(TaskFromC, IsSettledByRunningIt) {
  const Workspace w(Whose::Suite);
  w.write("upper.c",
          "void upper(int n, const double *x, double *y) {\n"
          "  for (int i = 0; i < n; i++)\n"
          "    for (int j = i; j < n; j++) {\n"
          "      y[i * n + j] = x[i] * x[j];\n"
          "      y[j * n + i] = y[i * n + j];\n"
          "    }\n"
          "}\n");
  const Ran drafted = w.kw({"task", "new", "upper", "--from", "upper.c"});
  ASSERT_EQ(drafted.code, 0) << drafted.err;
  if (drafted.out.find("jail") != std::string::npos) GTEST_SKIP() << drafted.out;
  EXPECT_THAT(drafted.out, HasSubstr("check: the timed sizes: a call of the reference takes "));
  EXPECT_THAT(w.read("tasks/upper/task.yaml"), Not(HasSubstr("role: inout")))
      << "the text alone does not say that the triangles together are the whole";
  w.write("top.c",
          "#include <math.h>\n"
          "void top(int n, const float *x, float *y) {\n"
          "  for (int i = 0; i < n; i++) y[i] = fmaxf(y[i], x[i]);\n"
          "}\n");
  ASSERT_EQ(w.kw({"task", "new", "top", "--from", "top.c"}).code, 0);
  EXPECT_THAT(w.read("tasks/top/task.yaml"), HasSubstr("role: inout"))
      << "what was there before counts";
  const Ran counted = w.kw({"task", "new", "guessed", "--from", "upper.c", "--untimed"});
  ASSERT_EQ(counted.code, 0) << counted.err;
  EXPECT_THAT(w.read("tasks/guessed/task.yaml"), HasSubstr("role: inout"));
}

TEST(TaskFromC, HasTheCodeWithItsThreadsAsABaseline) {
  const Workspace w(Whose::Suite);
  w.write("total.c",
          "void total(int n, const float *x, float *y) {\n"
          "  float s = 0;\n"
          "#pragma omp parallel for reduction(+ : s)\n"
          "  for (int i = 0; i < n; i++) s += x[i];\n"
          "  *y = s;\n}\n");
  const Ran drafted = w.kw({"task", "new", "total", "--from", "total.c", "--untimed"});
  ASSERT_EQ(drafted.code, 0) << drafted.err;
  EXPECT_THAT(w.read("tasks/total/reference.cpp"), Not(HasSubstr("#pragma")));
  const Ran judged = w.kw({"judge", "tasks/total/baselines/yours.cpp", "--task", "total", "--until",
                           "check", "--json"});
  if (lacks_jail(judged)) GTEST_SKIP() << judged.err;
  EXPECT_EQ(judged.json()["verdict"]["outcome"], "correct") << judged.out;
}

TEST(GenericVariants, AreAllCorrectAndTheBestIsConfirmed) {
  const Workspace w(Whose::Suite);
  draft_norms(w);
  const Ran ran = w.kw({"optimize", "norms", "--attempts", "20", "--baseline", "reference"});
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("CONFIRMED"));
  EXPECT_THAT(ran.out, testing::MatchesRegex(
                           "your code \\(norms\\.c\\): [^\n]* → [^\n]*x\nbaseline (.|\n)*"))
      << "before anything else";
  // A baseline in plain parallel form, which the draft does not contain, is added.
  EXPECT_THAT(ran.out, AllOf(HasSubstr("baseline omp"), Not(HasSubstr("not usable"))));
  std::map<std::string, json> outcomes;
  const json shown = w.kw({"show", "norms-1", "--json"}).json();
  for (const json& attempt : shown["attempts"]) {
    outcomes[attempt["name"]] = attempt["outcome"];
    EXPECT_EQ(attempt["outcome"], "correct") << attempt["name"] << ": " << attempt["words"];
  }
  for (const char* name : {"restrict", "simd", "parallel", "parallel1_unroll"})
    EXPECT_TRUE(outcomes.contains(name)) << name;
}

}  // namespace
}  // namespace kw::program
