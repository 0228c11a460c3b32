// Tests of a model that is steered by a person, starts from expert kernels, and is helped by a
// judge.
// SPDX-License-Identifier: Apache-2.0
#include "kw.h"
#include "replies.h"

namespace kw::program {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// All requests about one attempt that were sent to the model and to the judge, as JSON.
json exchanges(const Workspace& w, int attempt) {
  return w.kw({"prompt", "twice-1", "--attempt", std::to_string(attempt), "--json"})
      .json()["exchanges"];
}

std::string sent(const json& exchange) {
  return exchange["request"]["messages"].back()["text"].get<std::string>();
}

/// Waits for a file in the folder through which a person answers; false if it does not come.
bool wait_for(const Workspace& w, const std::string& file) {
  return wait_until([&] { return !w.read(file).empty(); });
}

TEST(GuidedModel, IsToldWhatAPersonOrdersAlsoAfterAKill) {
  const Workspace w(Whose::Suite);
  write_known_task(w);
  platform::Process process =
      w.start({"optimize", "twice", "--model", "manual:talk", "--attempts", "2"});
  if (!wait_for(w, "talk/001.prompt.md")) {
    process.kill_tree();
    const Ran ran = ended(process.wait(kPatience));
    if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
    FAIL() << ran.err;
  }
  const Ran given =
      w.kw({"steer", "twice-1", "--hint", "one product is enough", "--forbid", "gather", "--json"});
  ASSERT_EQ(given.code, 0) << given.err;
  w.write("talk/001.reply.md", kThrice);
  ASSERT_TRUE(wait_for(w, "talk/002.prompt.md"));
  process.kill_tree();
  ended(process.wait(kPatience));
  const std::string prompt = w.read("talk/002.prompt.md");
  EXPECT_THAT(prompt, AllOf(HasSubstr("What the person in charge asks for"),
                            HasSubstr("Worth trying: one product is enough"),
                            HasSubstr("Do not use this technique: gather")));
  EXPECT_THAT(w.read("talk/001.prompt.md"), Not(HasSubstr("one product")));

  w.write("talk/002.reply.md",
          kernel("  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];\n", "// kw: technique gather\n"));
  const Ran ran = w.kw({"resume", "twice-1", "--json"});
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_EQ(w.read("talk/002.prompt.md"), prompt);
  EXPECT_EQ(w.read("talk/003.prompt.md"), "") << "nothing is asked again";
  const json rejected = w.kw({"show", "twice-1", "--attempt", "2", "--json"}).json();
  EXPECT_EQ(rejected["outcome"], "rejected");
  EXPECT_EQ(rejected["stage"], "screen");
  const json orders = w.kw({"steer", "twice-1", "--list", "--json"}).json()["orders"];
  EXPECT_EQ(orders[0]["from_attempt"], 2);
  EXPECT_EQ(w.kw({"replay", "twice-1"}).code, 0);
  EXPECT_THAT(w.kw({"explain", "twice-1", "2"}).out,
              AllOf(HasSubstr("was in force: "), HasSubstr("hint: one product is enough"),
                    HasSubstr("-   for (int i = 0; i < n; ++i) y[i] = 3 * x[i];"),
                    HasSubstr("rejected: it names the technique 'gather'")));
  EXPECT_EQ(w.kw({"steer", "twice-1", "--hint", "late"}).code, 2);
}

TEST(GuidedModel, IsToldWhatAJudgeReadsInAFailure) {
  const Workspace w(Whose::Suite);
  write_known_task(w);
  w.write("writes.txt", "===\n" + kThrice + "===\n" + kThrice + "===\n" + kThrice);
  w.write("judges.txt", "===\nThe factor is three where two is asked for.\n===\n!refusal\nNo.\n");
  const Ran ran = w.kw({"optimize", "twice", "--model", "scripted:writes.txt", "--model",
                        "judge=scripted:judges.txt", "--attempts", "3", "--json"});
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_EQ(ran.json()["spent"]["calls"], 5);
  const json first = exchanges(w, 1);
  ASSERT_EQ(first.size(), 2u) << "its own, and the judge's about it";
  EXPECT_THAT(sent(first[1]), AllOf(HasSubstr("You judge nothing"), HasSubstr("wrong result"),
                                    HasSubstr("y[i] = 3 * x[i]"),
                                    Not(testing::ContainsRegex("[^0-9.]4099[^0-9]"))));
  EXPECT_THAT(sent(exchanges(w, 2)[0]),
              AllOf(HasSubstr("What another model reads in this"),
                    HasSubstr("The factor is three where two is asked for.")));
  EXPECT_THAT(sent(exchanges(w, 3)[0]), Not(HasSubstr("What another model")));
  const json life = w.kw({"explain", "twice-1", "2", "--json"}).json();
  EXPECT_THAT(life["reading"]["trouble"].get<std::string>(), HasSubstr("refused"));
  EXPECT_THAT(life["told_by_judge"]["words"].get<std::string>(), HasSubstr("factor is three"));
  EXPECT_EQ(life["models"].size(), 2u);
  EXPECT_EQ(w.kw({"replay", "twice-1"}).code, 0);
}

TEST(GuidedModel, OfTwoTheOneThatIsWorthItsTokensIsAskedMore) {
  const Workspace w(Whose::Suite);
  write_known_task(w);
  std::string right, wrong;
  for (int i = 0; i < 10; ++i) {
    const std::string head = "// kernel " + std::to_string(i) + "\n";
    // The kernel is so much slower than the baseline that a few pairs of calls show it.
    right += "===\n" + kernel(
                           "  for (int i = 0; i < n; ++i) {\n"
                           "    volatile float last = 0;\n"
                           "    for (int k = 0; k < 40; ++k) last = 2 * x[i];\n"
                           "    y[i] = last;\n"
                           "  }\n",
                           head);
    wrong += "===\n" + kernel("  for (int i = 0; i < n; ++i) y[i] = 3 * x[i];\n", head);
  }
  w.write("right.txt", right);
  w.write("wrong.txt", wrong);
  const Ran ran =
      w.kw({"optimize", "twice", "--strategy", "best-of-n", "--model", "scripted:wrong.txt",
            "--model", "scripted:right.txt", "--attempts", "8", "--json"});
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  ASSERT_LE(ran.code, 1) << ran.err;
  int by_right = 0, by_wrong = 0;
  std::string why;
  for (int i = 1; i <= ran.json()["attempts"].get<int>(); ++i) {
    const json life = w.kw({"explain", "twice-1", std::to_string(i), "--json"}).json();
    why = life["why"];
    by_right += why.find("; by scripted:right.txt (") != std::string::npos;
    by_wrong += why.find("; by scripted:wrong.txt (") != std::string::npos;
  }
  EXPECT_GT(by_right, by_wrong) << why;
  EXPECT_GE(by_wrong, 1) << "it is not known before it was tried";
  EXPECT_THAT(why, HasSubstr("tokens each, index "));
  EXPECT_EQ(w.kw({"replay", "twice-1"}).code, 0);
}

TEST(GuidedModel, StartsFromTheTasksOwnKernelUnlessToldOtherwise) {
  const Workspace w(Whose::Suite);
  write_known_task(w);
  w.write("twice/candidates/010_half.cpp",
          "// kw: tune REPEATS = 60, 50\n"
          "void twice(int n, const float* x, float* y) {\n"
          "  for (int i = 0; i < n; ++i) {\n"
          "    volatile float last = 0;\n"
          "    for (int k = 0; k < REPEATS; ++k) last = 2 * x[i];\n"
          "    y[i] = last;\n"
          "  }\n"
          "}\n");
  w.write("writes.txt", "===\n" + kThrice);
  const Words with_model{"optimize",   "twice", "--model", "scripted:writes.txt", "--calls", "1",
                         "--attempts", "8",     "--json"};
  const Ran ran = w.kw(with_model);
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  ASSERT_LT(ran.code, 2) << ran.err;
  const json attempts = w.kw({"show", "twice-1", "--json"}).json()["attempts"];
  ASSERT_EQ(attempts.size(), 3u) << "the kernel, one more value of its knob, the model's";
  EXPECT_EQ(attempts[0]["origin"], "task");
  EXPECT_EQ(attempts[1]["parent"], 1);
  EXPECT_EQ(attempts[2]["origin"], "model");
  EXPECT_NE(attempts[2]["parent"], 0);
  EXPECT_THAT(sent(exchanges(w, 3)[0]),
              AllOf(HasSubstr("Make it faster"), HasSubstr("volatile float last")));
  EXPECT_EQ(w.kw({"replay", "twice-1"}).code, 0);

  Words scratch = with_model;
  scratch.insert(scratch.end(), "--from-scratch");
  scratch[7] = "1";
  EXPECT_EQ(w.kw(scratch).code, 1);
  const json alone = w.kw({"show", "twice-2", "--json"}).json()["attempts"];
  ASSERT_EQ(alone.size(), 1u);
  EXPECT_EQ(alone[0]["origin"], "model");
  EXPECT_EQ(w.kw({"optimize", "twice", "--from-scratch"}).code, 2);
}

}  // namespace
}  // namespace kw::program
