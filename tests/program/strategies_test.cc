// Tests of every strategy for which a model writes sources, as a run with a scripted model on this
// machine.
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "kw.h"
#include "replies.h"

namespace kw::program {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// A reply with a kernel that takes twice the reference's time: a few calls show that, and nothing
/// needs a confirmation.
std::string answer_of_all() {
  return answer_for_all("cpp",
                        "void twice(int n, const float* x, float* y) {\n"
                        "  for (int i = 0; i < n; ++i) {\n"
                        "    float sum = 0;\n"
                        "    for (int k = 0; k < 64; ++k) sum += x[i] * 0.03125f;\n"
                        "    y[i] = sum;\n"
                        "  }\n}\n");
}

TEST(EveryStrategy, RunsWithAScriptedModel) {
  const Workspace w(Whose::Suite);
  write_known_task(w);
  w.write("writes.txt", "===\n!repeat forever\n" + answer_of_all());
  int run = 0;
  const std::set<std::string> has_presets{"coder-judge", "graph-search"};
  for (const std::string& strategy : writing_strategies(w)) {
    for (const char* preset : {"sketch", "paper"}) {
      if (!has_presets.contains(strategy) && std::string_view(preset) == "paper") continue;
      SCOPED_TRACE(strategy + " " + preset);
      Words words{"optimize",   "twice", "--strategy",  strategy, "--model", "scripted:writes.txt",
                  "--attempts", "3",     "--no-memory", "--json"};
      if (has_presets.contains(strategy)) words.insert(words.end(), {"--preset", preset});
      const Ran ran = w.kw(words);
      if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
      ASSERT_LT(ran.code, 2) << ran.err;
      const std::string name = "twice-" + std::to_string(++run);
      const json first = w.kw({"explain", name, "1", "--json"}).json();
      EXPECT_EQ(first["strategy"], strategy);
      EXPECT_FALSE(first["why"].get<std::string>().empty());
      EXPECT_EQ(first["evaluation"]["verdict"]["outcome"], "correct");
      EXPECT_EQ(w.kw({"replay", name}).code, 0);
    }
  }
}

TEST(EveryStrategy, RefusesWhatMeansNothingToIt) {
  const Workspace w(Whose::Suite);
  write_easy_task(w, "twice");
  w.write("writes.txt", "===\n!repeat forever\n" + answer_of_all());
  const auto refused = [&](const Words& more) {
    Words words{"optimize", "twice", "--model", "scripted:writes.txt"};
    words.insert(words.end(), more.begin(), more.end());
    const Ran ran = w.kw(words);
    EXPECT_EQ(ran.code, 2) << ran.out;
    return ran.err;
  };
  EXPECT_THAT(refused({"--strategy", "evolve", "--preset", "paper"}),
              HasSubstr("has no effect on strategy"));
  EXPECT_THAT(refused({"--strategy", "coder-judge", "--preset", "best"}),
              HasSubstr("sketch or paper, not 'best'"));
  EXPECT_THAT(refused({"--strategy", "evolve", "--rounds", "3"}),
              HasSubstr("has no effect on strategy"));
  EXPECT_THAT(refused({"--strategy", "coder-judge", "--rounds", "4294967297"}),
              HasSubstr("4294967297 is too large: at most 10000"));
  EXPECT_THAT(refused({"--strategy", "agent", "--judge", "rules"}),
              HasSubstr("has no effect on strategy"));
}

TEST(EveryStrategy, TellsWhatEachRoleWasAsked) {
  const Workspace w(Whose::Suite);
  write_known_task(w);
  w.write("writes.txt", "===\n!repeat forever\n" + answer_of_all());
  const Ran ran = w.kw({"optimize", "twice", "--strategy", "coder-judge", "--preset", "paper",
                        "--model", "scripted:writes.txt", "--attempts", "2", "--json"});
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  const json exchanges =
      w.kw({"prompt", "twice-1", "--attempt", "2", "--json"}).json()["exchanges"];
  ASSERT_EQ(exchanges.size(), 2u);
  EXPECT_EQ(exchanges[0]["scope"], "judge for attempt 2");
  EXPECT_EQ(exchanges[1]["scope"], "attempt 2");
  EXPECT_THAT(exchanges[1]["request"]["messages"].back()["text"].get<std::string>(),
              HasSubstr("- bottleneck: memory"));
}

}  // namespace
}  // namespace kw::program
