// Tests with the run in examples/cuda-dialogue: commands that show a GPU's outcomes work without a
// GPU.
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "kw.h"

namespace kw::program {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// The run is copied into a workspace, since opening a store may write to it.
class Dialogue : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::copy(platform::Path(KW_SOURCE_DIR) / "examples/cuda-dialogue/runs",
                          w_.path() / "runs", std::filesystem::copy_options::recursive);
  }
  Workspace w_;
};

TEST_F(Dialogue, WentFromACompileErrorToANewBest) {
  const json shown = w_.kw({"show", "fctd3d-1", "--json"}).json();
  ASSERT_GE(shown["attempts"].size(), 4u);
  std::vector<std::string> outcomes;
  std::vector<std::string> classes;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(shown["attempts"][i]["origin"], "model");
    outcomes.push_back(shown["attempts"][i]["outcome"]);
    classes.push_back(shown["attempts"][i]["class"]);
  }
  EXPECT_THAT(outcomes,
              testing::ElementsAre("compile_failed", "wrong_result", "correct", "correct"));
  EXPECT_THAT(classes, testing::ElementsAre("failed", "failed", "no_gain", "new_best"));
  EXPECT_LT(shown["attempts"][2]["speedup"], 1.0) << "right and slow";
  EXPECT_GT(shown["confirmation"]["speedup"]["low"], 1.0);
}

TEST_F(Dialogue, FedTheRightWordsBack) {
  for (const auto& [attempt, words] : {std::pair{"2", "identifier \"courant_limit\" is undefined"},
                                       std::pair{"3", "elements looked at are wrong"}}) {
    const Ran explained = w_.kw({"explain", "fctd3d-1", attempt});
    EXPECT_EQ(explained.code, 0);
    EXPECT_THAT(explained.out, HasSubstr(words));
  }
}

// The run names its task by a relative path in the repository, so replaying from another folder
// must find it.
TEST_F(Dialogue, ReplaysToTheSameDecisionsFromAnywhere) {
  const Ran ran = w_.kw({"replay", "fctd3d-1", "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.json()["is_identical"], true);
}

// The report finds the baseline's source in the task that the run names.
TEST_F(Dialogue, IsReportedWithTheChangesAgainstTheBaseline) {
  const Ran ran = w_.kw({"report", "fctd3d-1", "--out", "page.html"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const std::string html = w_.read("page.html");
  EXPECT_THAT(html, HasSubstr("Changes against the baseline naive: "));
  EXPECT_THAT(html, HasSubstr("<span class=\"tk\">__global__</span>"));
  EXPECT_THAT(html, HasSubstr("aria-label=\"speedup by PLANES\""));
}

}  // namespace
}  // namespace kw::program
