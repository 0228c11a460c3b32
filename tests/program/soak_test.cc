// Tests of kw soak: a kernel on new inputs again and again, and how its error grows with a dim.
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <csignal>
#include <thread>

#include "kw.h"

namespace kw::program {
namespace {

using testing::HasSubstr;

class Soak : public testing::Test {
 protected:
  void SetUp() override { write_easy_task(w_, "twice"); }
  Workspace w_{Whose::Suite};
};

TEST_F(Soak, ChecksFreshInputsAndDoublesTheDim) {
  w_.write("fine.cpp",
           "void twice(int n, const float* x, float* y) {\n"
           "  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];\n}\n");
  const Ran ran =
      w_.kw({"soak", "fine.cpp", "--task", "twice", "--time", "1s", "--grow", "n", "--json"});
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto soaked = ran.json();
  EXPECT_EQ(soaked["verdict"]["outcome"], "correct");
  EXPECT_GE(soaked["judgements"], 1);
  ASSERT_FALSE(soaked["workloads"].empty());
  EXPECT_EQ(soaked["workloads"][0]["judgements"], soaked["judgements"]);
  const auto& growth = soaked["growth"];
  ASSERT_FALSE(growth.empty());
  for (std::size_t i = 1; i < growth.size(); ++i)
    EXPECT_EQ(growth[i]["value"], 2 * growth[i - 1]["value"].get<int>());
}

// The task allows at most 20,000 elements; sizes judged until then count.
TEST_F(Soak, EndsDoublingWhereTheTaskAllowsNoMore) {
  std::string yaml = w_.read("twice/task.yaml");
  const std::string n = "n: { dtype: i32 }";
  ASSERT_NE(yaml.find(n), std::string::npos);
  yaml.insert(yaml.find(n) + n.size(), "\n  room: { dtype: i32, value: \"1 / (20000 / n)\" }");
  w_.write("twice/task.yaml", yaml);
  w_.write("twice/shapes.yaml",
           "show: [ { name: small, n: 1000 } ]\n"
           "check: [ { name: prime, n: 4099 } ]\n"
           "time: [ { name: large, n: 16384 } ]\n");
  w_.write("fine.cpp",
           "void twice(int n, const float* x, float* y) {\n"
           "  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];\n}\n");
  const Ran ran =
      w_.kw({"soak", "fine.cpp", "--task", "twice", "--time", "6s", "--grow", "n", "--json"});
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.json()["growth"].size(), 3) << ran.out;
  EXPECT_THAT(ran.json()["growth_ended"].get<std::string>(), HasSubstr("n = 32792"));
}

// The kernel is wrong for one element in 30,000, which most judgements, of 5,000 elements each, do
// not notice.
TEST_F(Soak, AWrongAnswerEndsItWithItsVerdict) {
  w_.write("wrong.cpp",
           "void twice(int n, const float* x, float* y) {\n"
           "  for (int i = 0; i < n; ++i) y[i] = x[i] > 4 ? 0 : 2 * x[i];\n}\n");
  const Ran ran = w_.kw({"soak", "wrong.cpp", "--task", "twice", "--time", "120s", "--json"});
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  ASSERT_EQ(ran.code, 1) << ran.err;
  EXPECT_EQ(ran.json()["verdict"]["outcome"], "wrong_result");
}

TEST_F(Soak, InterruptedItTellsWhatItSaw) {
  w_.write("fine.cpp",
           "void twice(int n, const float* x, float* y) {\n"
           "  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];\n}\n");
  const auto interrupted_after = [&](std::chrono::seconds wait, bool is_json) {
    Words words = {"soak", "fine.cpp", "--task", "twice", "--time", "10m", "--grow", "n"};
    if (is_json) words.emplace_back("--json");
    platform::Process process = w_.start(words);
    std::this_thread::sleep_for(wait);
    (void)process.signal(SIGINT);
    return ended(process.wait(kPatience));
  };
  // The signal comes before any judgement can have ended, but after kw installed its handler.
  const Ran early = interrupted_after(std::chrono::seconds(0), false);
  if (lacks_jail(early)) GTEST_SKIP() << early.err;
  EXPECT_TRUE(early.code == 130 || early.signal == SIGINT) << early.err;
  // The signal comes while judgements are made, however fast the machine is.
  for (const bool is_json : {false, true}) {
    const auto has_seen = [&](const Ran& ran) {
      return is_json ? !ran.json()["growth"].empty() : ran.out.find("n = ") != std::string::npos;
    };
    Ran ran;
    for (int wait = 1; wait <= 64; wait *= 2) {
      ran = interrupted_after(std::chrono::seconds(wait), is_json);
      if (ran.code == 130 && has_seen(ran)) break;
    }
    EXPECT_EQ(ran.code, 130) << ran.err;
    EXPECT_TRUE(has_seen(ran)) << ran.out;
    EXPECT_THAT(ran.out, HasSubstr(is_json ? "\"is_interrupted\"" : "interrupted; "));
  }
}

TEST_F(Soak, RefusesWhatItCannotDo) {
  w_.write("fine.cpp", "void twice(int n, const float* x, float* y) {}\n");
  EXPECT_THAT(w_.refusal({"soak", "fine.cpp"}, {"--task", "twice", "--grow", "m"}),
              HasSubstr("no dim 'm'"));
  EXPECT_THAT(w_.refusal({"soak", "fine.cpp"}, {"--task", "twice", "--time", "long"}),
              HasSubstr("long"));
}

}  // namespace
}  // namespace kw::program
