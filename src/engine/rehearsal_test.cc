// A rehearsal sends the same first request as the run, and leaves no trace.
// SPDX-License-Identifier: Apache-2.0
#include "engine/rehearsal.h"

#include <gmock/gmock.h>

#include "engine/writing_run_for_test.h"

namespace kw::engine {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class RehearsalTest : public WritingRun {
 protected:
  Rehearsal rehearsal() {
    const Surroundings s = surroundings();
    return {s.workbench, store_, scratch_, clock_, writing_};
  }
  BaselineStanding baseline() {
    return recall_baselines(workbench_, store_, "judge").value().front();
  }

  platform::TempDir other_ = std::move(platform::TempDir::create("kw-rehearsal").value());
  store::RunStore scratch_ = store::RunStore::open(other_.path(), disk_).value();
};

TEST_F(RehearsalTest, SaysWhatTheRunWillSay) {
  writing_.device.id = "here";
  answers_.emplace(1, nothing("no code block"));
  EXPECT_EQ(baseline().mean_ns, 0) << "nothing was timed yet";
  finished(config(1));
  ASSERT_THAT(told_, SizeIs(1));
  const std::string said = told_.front().text;
  EXPECT_GT(baseline().mean_ns, 0);
  EXPECT_THAT(rehearse(rehearsal(), config(1), baseline()).value(), IsEmpty());
  ASSERT_THAT(told_, SizeIs(2));
  EXPECT_EQ(told_.back().text, said);
  EXPECT_THAT(store_.list().value(), SizeIs(1)) << "a rehearsal is no run";
}

TEST_F(RehearsalTest, AParentIsShownToWhoeverMendsIt) {
  answers_.emplace(2, nothing("no code block"));
  Attempt parent;
  parent.candidate = writes(1, "// WRONG").candidate;
  parent.evaluation.verdict = {Stage::Check, Outcome::WrongResult, "3 of 9 differ"};
  ASSERT_TRUE(rehearse_errand(rehearsal(), config(1), baseline(), Errand::Repair, parent));
  ASSERT_THAT(told_, SizeIs(1));
  EXPECT_EQ(told_.front().errand, Errand::Repair);
  EXPECT_EQ(told_.front().evidence, "3 of 9 differ");
  EXPECT_THAT(told_.front().parent_source, HasSubstr("WRONG"));
  EXPECT_THAT(told_.front().text, HasSubstr("nothing")) << "is known of a device without an id";
}

}  // namespace
}  // namespace kw::engine
