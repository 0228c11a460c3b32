// Tests that kw optimize warns about problems that kw task check found.
// SPDX-License-Identifier: Apache-2.0
#include "kw.h"

namespace kw::program {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Searches with a model that answers without a kernel, so that nothing but baselines is measured:
/// these tests are about what is said of the task before and after a search.
Ran searched(const Workspace& w, const std::string& task, const Words& flags = {}) {
  w.write("none.txt", "===\nI would rather not.\n");
  Words words{"optimize",   task,        "--calls", "1",
              "--baseline", "reference", "--model", "scripted:none.txt"};
  words.insert(words.end(), flags.begin(), flags.end());
  return w.kw(words);
}

/// Writes a task that is admitted, whose timed shape is small enough to be checked in seconds and
/// whose reference computes long enough to be timed in seconds.
void write_small_task(const Workspace& w) {
  write_easy_task(w, "twice");
  std::string shapes = w.read("twice/shapes.yaml");
  shapes.replace(shapes.find("524288"), 6, "65536");
  w.write("twice/shapes.yaml", shapes);
}

/// Base of tests in a workspace that knows the machine's ceilings, which would be measured first.
class Admission : public testing::Test {
 protected:
  void SetUp() override {
    write_known_task(w_);
    write_small_task(w_);
  }
  Workspace w_{Whose::Suite};
};

TEST_F(Admission, ATaskThatLetsWrongAnswersPassIsNotSearched) {
  std::string yaml = w_.read("twice/task.yaml");
  const std::string gate = "kind: relative, c: 400, scale: 1";
  yaml.replace(yaml.find(gate), gate.size(), "kind: field, l2: 10, max: 1e6 }\nrms: { factor: 1e9");
  w_.write("twice/task.yaml", yaml);
  const Ran checked = w_.kw({"task", "check", "twice"});
  if (lacks_jail(checked)) GTEST_SKIP() << checked.err;
  EXPECT_EQ(checked.code, 1) << checked.out;
  const Ran refused = searched(w_, "twice");
  EXPECT_EQ(refused.code, 2) << refused.err;
  EXPECT_THAT(refused.err, AllOf(HasSubstr("kw: twice: kw task check refused this task on 20"),
                                 HasSubstr("; mend it, and check it again")));
  EXPECT_THAT(w_.kw({"runs"}).out, HasSubstr("no runs")) << "nothing was begun";
  // A task whose content changed counts as not checked.
  write_small_task(w_);
  const Ran mended = searched(w_, "twice");
  EXPECT_THAT(mended.code, testing::AnyOf(0, 1)) << mended.err;
  EXPECT_THAT(mended.err, HasSubstr("NEVER ADMITTED: "));
  EXPECT_THAT(mended.out, HasSubstr("kw task check twice")) << "once more at the end";
}

TEST_F(Admission, OneThatIsAdmittedIsSearchedWithoutAWord) {
  const Ran checked = w_.kw({"task", "check", "twice"});
  if (lacks_jail(checked)) GTEST_SKIP() << checked.err;
  EXPECT_EQ(checked.code, 0) << checked.out;
  const Ran ran = searched(w_, "twice", {"--json"});
  EXPECT_THAT(ran.err, Not(HasSubstr("ADMITTED")));
  EXPECT_EQ(ran.json()["admission"], "admitted");
}

TEST_F(Admission, ACheckThatHadNoTimeSaysNothingAgainstATask) {
  const Ran checked = w_.kw({"task", "check", "twice", "--time", "1ns"});
  if (lacks_jail(checked)) GTEST_SKIP() << checked.err;
  EXPECT_EQ(checked.code, 1) << checked.out;
  EXPECT_THAT(searched(w_, "twice").err,
              HasSubstr("NOT ADMITTED: kw task check twice ran out of time"));
}

TEST_F(Admission, AShippedTaskIsAdmittedByTheTestsOfTheBuild) {
  const Ran ran = searched(w_, "saxpy", {"--from-scratch", "--json"});
  if (lacks_jail(ran)) GTEST_SKIP() << ran.err;
  EXPECT_THAT(ran.err, Not(HasSubstr("ADMITTED")));
  EXPECT_EQ(ran.json()["admission"], "shipped");
}

}  // namespace
}  // namespace kw::program
