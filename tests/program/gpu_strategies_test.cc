// Tests of every strategy for which a model writes sources, as a run with a scripted model on the
// stand-in for a GPU.
// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "replies.h"
#include "stand_in.h"

namespace kw::program {
namespace {

using nlohmann::json;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

class GpuStrategies : public StandIn {
 protected:
  void SetUp() override {
    StandIn::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    know_ceilings();
    w_.write("twice/baselines/naive.cu", sleeper(2));
    // Only an empty header of CUTLASS is needed: what a prompt offers depends on whether headers
    // are found.
    w_.write("cutlass/include/cute/tensor.hpp", "");
    w_.write("writes.txt", "===\n!repeat forever\n" + answer_for_all("cuda", sleeper(4)));
  }

  /// The first attempt of a run. It must be written, built and judged; on a busy machine its time
  /// stamps may disagree.
  json first_of(const std::string& strategy, const std::string& preset, int attempts) {
    Words words{"optimize",       "twice",
                "--target",       "cuda",
                "--strategy",     strategy,
                "--model",        "scripted:writes.txt",
                "--attempts",     std::to_string(attempts),
                "--from-scratch", "--no-memory",
                "--json"};
    if (!preset.empty()) words.insert(words.end(), {"--preset", preset});
    Ran ran = kw(words);
    for (int i = 0; i < kTries && is_too_busy(ran.err); ++i) ran = kw(words);
    EXPECT_THAT(ran.code, AnyOf(0, 1)) << ran.err;
    run_ = ran.json()["run"];
    return kw({"explain", run_, "1", "--json"}).json();
  }
  void expect_whole(const std::string& strategy, const std::string& preset, int attempts) {
    SCOPED_TRACE(strategy + " " + preset);
    const json first = first_of(strategy, preset, attempts);
    EXPECT_EQ(first["strategy"], strategy);
    EXPECT_FALSE(first["why"].get<std::string>().empty());
    EXPECT_THAT(first["evaluation"]["verdict"]["outcome"], AnyOf("correct", "unmeasurable"));
    EXPECT_EQ(kw({"replay", run_}).code, 0);
  }
  std::string prompt_of(const std::string& attempt) const {
    return kw({"prompt", run_, "--attempt", attempt}).out;
  }
  /// Runs kw with CUTLASS, or with no CUTLASS to be found.
  Ran kw(const Words& arguments) const {
    Words around = env();
    around.push_back("CUTLASS_PATH=" + (w_.path() / (has_cute_ ? "cutlass" : "nothing")).string());
    return w_.kw(arguments, around);
  }

  static constexpr int kTries = 5;
  std::string run_;
  bool has_cute_ = true;
};

TEST_F(GpuStrategies, EachWritesAndIsReplayed) {
  const std::set<std::string> has_presets{"coder-judge", "graph-search"};
  for (const std::string& strategy : writing_strategies(w_)) {
    for (const std::string preset : {"sketch", "paper"}) {
      const bool has_both = has_presets.contains(strategy);
      if (!has_both && preset == "paper") continue;
      expect_whole(strategy, has_both ? preset : "", 1);
      if (HasFailure()) return;
      // The prompt chooses a dialect (CuTe) for the first source; only target cuda has a choice.
      EXPECT_EQ(prompt_of("1").contains("in the terms of CuTe"), strategy == "staged");
    }
  }
}

TEST_F(GpuStrategies, CuteIsOfferedOnlyWhereCutlassIsFoundAndAReplyInItFailsAlone) {
  has_cute_ = false;
  w_.write("writes.txt", "===\n" + answer_for_all("cuda", "// kw: dialect cute\n" + sleeper(4)) +
                             "===\n!repeat forever\n" + answer_for_all("cuda", sleeper(4)));
  first_of("staged", "", 2);
  const std::string sent = prompt_of("1");
  for (const char* words : {"CuTe", "CUTLASS", "dialect cute"})
    EXPECT_THAT(sent.substr(0, sent.find("=== reply")), Not(HasSubstr(words)));
  const json shown = kw({"show", run_, "--json"}).json();
  ASSERT_EQ(shown["attempts"].size(), 2u) << "the run goes on";
  EXPECT_EQ(shown["attempts"][0]["outcome"], "rejected");
  EXPECT_THAT(kw({"explain", run_, "1"}).out, HasSubstr("write plain CUDA"));
}

}  // namespace
}  // namespace kw::program
