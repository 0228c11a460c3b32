// Tests of kw memory judge, which compares a learned judge with rules and models, on a workspace of
// recorded runs.
// SPDX-License-Identifier: Apache-2.0
#include "cli/judge_comparison.h"

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error_for_test.h"
#include "base/json.h"
#include "engine/recorded_steps_for_test.h"
#include "platform/files.h"
#include "platform/memory_disk_for_test.h"
#include "store/run_store.h"

namespace kw::cli {
namespace {

class JudgeComparisonTest : public testing::Test {
 protected:
  void SetUp() override {
    global_.workspace = dir_.path().string();
    global_.json = true;
    platform::MemoryDisk disk;
    auto store = store::RunStore::open(dir_.path(), disk).value();
    for (int run = 0; run < 4; ++run) record(store);
  }
  /// Records a run in which, from one memory-bound kernel, tiling doubles the speed and padding
  /// halves it.
  static void record(store::RunStore& store) {
    RunConfig config;
    config.task = "twice";
    const RunSummary run = store.create(config, "then").value();
    const auto append = [&](int number, int parent, double speedup, const std::string& technique) {
      std::vector<std::string> techniques{"plain"};
      if (technique != "plain") techniques.push_back(technique);
      const Attempt a = engine::memory_bound_attempt(number, parent, speedup, techniques);
      ASSERT_TRUE(store.append(run, a, {}));
    };
    append(1, 0, 1, "plain");
    append(2, 1, 2, "tiling");
    append(3, 1, 0.5, "padding");
  }
  std::string script(const std::string& name, const std::string& text) {
    const platform::Path path = dir_.path() / name;
    EXPECT_TRUE(platform::write_file_atomic(path, text));
    return "scripted:" + path.string();
  }
  Result<Json> compare(const JudgeComparisonFlags& flags) {
    testing::internal::CaptureStdout();
    const auto code = show_judges(global_, Target::Cpu, flags);
    const std::string out = testing::internal::GetCapturedStdout();
    if (!code) return std::unexpected(code.error());
    return parse_json(out, "kw memory judge");
  }
  /// The table's row for the judge with this name.
  static Json row(const Json& all, const std::string& judge) {
    for (const Json& one : all["choices"]["judges"])
      if (one["judge"] == judge) return one;
    ADD_FAILURE() << "no row of " << judge;
    return {};
  }

  platform::TempDir dir_ = std::move(platform::TempDir::create("kw-judges").value());
  Global global_;
};

TEST_F(JudgeComparisonTest, ModelsAnswerTheSameQuestionsAndTheirCostIsCounted) {
  JudgeComparisonFlags flags;
  const std::string right = script(
      "right.txt",
      "===\n!repeat forever\n!usage prompt=200 completion=10\n{\"technique\": \"tiling\"}\n");
  const std::string silly =
      script("silly.txt", "===\n{\"technique\": \"padding\"}\n===\n!repeat forever\nDance!\n");
  flags.models.models = {right, silly};
  const auto all = compare(flags);
  ASSERT_TRUE(all) << describe(all.error());
  EXPECT_EQ((*all)["choices"]["questions"], 4);
  const Json good = row(*all, right);
  EXPECT_EQ(good["hits"], 1.0);
  EXPECT_NEAR(good["gain"].get<double>(), std::log(2), 1e-9);
  EXPECT_EQ(good["calls"], 4);
  EXPECT_EQ(good["tokens"], 840);
  const Json bad = row(*all, silly);
  EXPECT_EQ(bad["hits"], 0.0);
  EXPECT_EQ(bad["unread"], 3);
  EXPECT_NEAR(bad["gain"].get<double>(), -std::log(2) / 4, 1e-9);
  EXPECT_EQ(row(*all, "learned")["hits"], 1.0) << "the other runs taught it";
  EXPECT_EQ(row(*all, "by lot")["hits"], 0.5);
  EXPECT_EQ(row(*all, "rules")["calls"], 0);
  EXPECT_EQ(row(*all, "the best choice")["hits"], 1.0);
}

TEST_F(JudgeComparisonTest, ABudgetBoundsThem) {
  JudgeComparisonFlags flags;
  flags.models.models = {script("once.txt", "===\n!repeat forever\n{\"technique\": \"tiling\"}\n")};
  flags.spend.calls = 3;
  EXPECT_THAT(compare(flags), IsErrorAbout(ErrorCode::OverBudget, "calls"));
  flags.questions = 3;
  EXPECT_TRUE(compare(flags));
}

TEST_F(JudgeComparisonTest, AModelHasNoRoleHere) {
  JudgeComparisonFlags flags;
  flags.models.models = {"judge=" + script("x.txt", "===\nx\n")};
  EXPECT_THAT(compare(flags), IsErrorAbout(ErrorCode::Unsupported, "role"));
  flags.models.models.clear();
  flags.spend.calls = 3;
  EXPECT_THAT(compare(flags), IsErrorAbout(ErrorCode::Missing, "--model for a budget"));
}

}  // namespace
}  // namespace kw::cli
