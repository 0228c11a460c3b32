// Tests of kw verify: a certificate and its kernel on another machine, without the run that made
// them.
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "base/hash.h"
#include "kw.h"

namespace kw::program {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Verify : public testing::Test {
 protected:
  /// A run wins in one workspace; only its folder best/ and its task are copied to the other
  /// workspace.
  void SetUp() override {
    const Workspace w(Whose::Suite);
    const Ran ran = write_won_run(w);
    if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
    ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
    for (const char* file : {"certificate.json", "twice.cpp"})
      ship(file, w.read(std::string("runs/twice-1/best/") + file));
    write_easy_task(elsewhere_, "twice");
  }
  void ship(const std::string& file, const std::string& text) {
    elsewhere_.write("shipped/" + file, text);
  }
  /// Changes the certificate so that it describes this kernel.
  void ship_kernel(const std::string& source) {
    ship("twice.cpp", source);
    json certificate = json::parse(elsewhere_.read("shipped/certificate.json"));
    certificate["candidate"]["source_sha256"] = sha256(source).hex();
    ship("certificate.json", certificate.dump());
  }
  Ran verify(const Words& more = {}, const Words& env = {}) const {
    Words words{"verify", "shipped", "--junit", "report.xml"};
    words.insert(words.end(), more.begin(), more.end());
    return elsewhere_.kw(words, env);
  }
  std::string report() const { return elsewhere_.read("report.xml"); }

  Workspace elsewhere_{Whose::Suite};
};

TEST_F(Verify, JudgesTheShippedKernelAgainElsewhere) {
  const Ran ran = verify({"--min", "1.05"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("kernel: shipped/twice.cpp, the certificate's by its hash"),
                             HasSubstr("task: twice, the certificate's by its hash"),
                             HasSubstr("verified: "), HasSubstr("at least 1.05x")));
  EXPECT_THAT(report(), AllOf(HasSubstr("failures=\"0\" errors=\"0\" skipped=\"0\""),
                              HasSubstr("name=\"kernel hash\""),
                              HasSubstr("name=\"correct: large\""), HasSubstr("name=\"speedup\"")));
  EXPECT_FALSE(std::filesystem::exists(elsewhere_.path() / "runs")) << "nothing is left behind";

  const Ran more = verify({"--min", "100000", "--json"});
  EXPECT_EQ(more.code, 4) << more.err;
  const json told = more.json();
  EXPECT_EQ(told["verified"], false);
  EXPECT_EQ(told["is_same_task"], true);
  EXPECT_EQ(told["evaluation"]["verdict"]["outcome"], "correct");
  EXPECT_THAT(told["words"].get<std::string>(), HasSubstr("SLOWER than 100000x"));
  EXPECT_THAT(report(), AllOf(HasSubstr("failures=\"1\""), HasSubstr("<failure message=\"SLOWER")));
}

TEST_F(Verify, AKernelThatIsWrongFails) {
  ship_kernel(
      "void twice(int n, const float* x, float* y) {\n"
      "  for (int i = 0; i < n; ++i) y[i] = 3 * x[i];\n}\n");
  const Ran ran = verify();
  EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("WRONG: wrong_result at check"));
  EXPECT_THAT(report(), AllOf(HasSubstr("name=\"correct: "), HasSubstr("<failure message=\"wrong_"),
                              HasSubstr("<skipped")));
}

TEST_F(Verify, AnotherTaskIsSaidLoudly) {
  std::string yaml = elsewhere_.read("twice/task.yaml");
  elsewhere_.write("twice/task.yaml", yaml.replace(yaml.find("c: 400"), 6, "c: 401"));
  const Ran refused = verify();
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("is another version than the certificate's"));
  EXPECT_THAT(report(),
              AllOf(HasSubstr("name=\"task\""), HasSubstr("<failure"), HasSubstr("<skip")));
  const Ran forced = verify({"--task", "twice", "--json"});
  EXPECT_THAT(forced.code, testing::AnyOf(0, 4)) << forced.err;
  EXPECT_THAT(forced.err, HasSubstr("THE TASK IS NOT THE CERTIFICATE'S"));
  EXPECT_EQ(forced.json()["is_same_task"], false);
}

TEST_F(Verify, AMachineThatCannotJudgeIsNobodysFault) {
  json certificate = json::parse(elsewhere_.read("shipped/certificate.json"));
  certificate["device"]["target"] = "cuda";
  ship("certificate.json", certificate.dump());
  std::filesystem::rename(elsewhere_.path() / "shipped/twice.cpp",
                          elsewhere_.path() / "shipped/twice.cu");
  elsewhere_.write("twice/baselines/reference.cu",
                   "// kw: launch k grid(1) block(32) args(n, x, y)\n"
                   "extern \"C\" __global__ void k(int n, const float* x, float* y) {}\n");
  elsewhere_.write("shipped/twice.cu", elsewhere_.read("twice/baselines/reference.cu"));
  certificate["candidate"]["source_sha256"] = sha256(elsewhere_.read("shipped/twice.cu")).hex();
  ship("certificate.json", certificate.dump());
  const Ran ran = verify({"--task", "twice"}, {"KW_CUDA_DRIVER=/nonexistent/libcuda.so"});
  EXPECT_EQ(ran.code, 3) << ran.out << ran.err;
  EXPECT_THAT(report(), AllOf(HasSubstr("errors=\"1\""), HasSubstr("<error message=")));
}

TEST_F(Verify, AReportThatCannotBeWrittenIsNoSuccess) {
  const Ran ran = elsewhere_.shell("\"$KW\" verify shipped --junit /dev/full/x; echo \"code $?\"");
  EXPECT_THAT(ran.out, AllOf(HasSubstr("code 2"), Not(HasSubstr("verified"))));
}

}  // namespace
}  // namespace kw::program
