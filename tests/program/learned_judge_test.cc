// Tests of a judge that learns from recorded steps: in a run, in ranking kernels before they are
// measured, and compared with other judges on runs that it has not seen.
// SPDX-License-Identifier: Apache-2.0
#include "kw.h"
#include "replies.h"

namespace kw::program {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

class LearnedJudge : public testing::Test {
 protected:
  void SetUp() override { write_known_task(w_); }

  /// A run that refines a kernel: `works` is faster than its parent. Four other kernels, each with
  /// another technique, do not compile, so judging them costs nothing.
  void teach(const std::string& works) {
    std::string script = "===\n" + reply_of(slow_twice(96, "plain")) + "===\n" +
                         reply_of(slow_twice(48, "plain, " + works));
    for (const char* fails : {"fusion", "padding", "packing", "prefetch"})
      script += "===\n" + reply_of(std::string("// kw: technique plain, ") + works + ", " + fails +
                                   "\nvoid twice(int n) { broken }\n");
    w_.write("teach.txt", script);
    last_ = optimize({"--judge", "rules", "--model", "scripted:teach.txt", "--attempts", "6"});
  }
  Ran optimize(const Words& more) const {
    Words words{"optimize", "twice", "--strategy",  "coder-judge",
                "--preset", "paper", "--no-memory", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return w_.kw(words);
  }
  Workspace w_{Whose::Suite};
  Ran last_;
};

TEST_F(LearnedJudge, SaysAndRanksByWhatEarlierRunsHaveGained) {
  w_.write("ask.txt", "===\n" + reply_of(slow_twice(96, "plain")));
  const Words learned{"--judge", "learned", "--model", "scripted:ask.txt", "--attempts", "1"};
  const Ran early = optimize(learned);
  if (lacks_jail(early)) GTEST_SKIP() << early.err;
  EXPECT_THAT(early.err,
              HasSubstr("0 steps by models are recorded for target cpu, and 12 are needed"));
  EXPECT_THAT(optimize({"--shortlist", "2", "--model", "scripted:ask.txt"}).err,
              HasSubstr("search without --judge learned and --shortlist first"));
  EXPECT_TRUE(w_.kw({"runs", "--json"}).json()["runs"].empty()) << "none was begun";
  for (int run = 0; run < 2; ++run) {
    teach("tiling");
    ASSERT_LT(last_.code, 2) << last_.err;
  }
  const json compared = w_.kw({"memory", "judge", "--json"}).json();
  EXPECT_EQ(compared["runs"], 2);
  EXPECT_EQ(compared["samples"], 12) << "each attempt shows one technique more";
  EXPECT_GT(compared["learned"]["top_gain"].get<double>(), 0) << "tiling is what it likes best";
  EXPECT_THAT(w_.kw({"memory", "judge"}).out,
              AllOf(HasSubstr("12 steps of models in 2 runs for cpu"), HasSubstr("by lot")));

  // Of two replies to one request, only the one that names the promising technique is judged.
  w_.write("pair.txt", "===\n" + reply_of(slow_twice(96, "plain")) + "===\n" +
                           reply_of(slow_twice(96, "plain, x")) + "===\n" +
                           reply_of(slow_twice(48, "plain, packing")) + "===\n" +
                           reply_of(slow_twice(48, "plain, tiling")));
  const Ran ran = optimize({"--judge", "learned", "--shortlist", "2", "--model",
                            "scripted:pair.txt", "--attempts", "2"});
  ASSERT_LT(ran.code, 2) << ran.err;
  EXPECT_EQ(ran.json()["spent"]["calls"], 4) << "both are paid for";
  const std::string run = ran.json()["run"];
  EXPECT_THAT(w_.kw({"prompt", run, "--attempt", "2"}).out,
              AllOf(HasSubstr("Apply `tiling`"), HasSubstr("12 recorded steps")));
  const json judged = w_.kw({"explain", run, "2", "--json"}).json();
  EXPECT_EQ(judged["techniques"], (json{"plain", "tiling"}));
  EXPECT_EQ(w_.kw({"replay", run}).code, 0);
}

}  // namespace
}  // namespace kw::program
