// Tests that results of kw task check are stored and read back, and of the warning for each state.
// SPDX-License-Identifier: Apache-2.0
#include "session/admission_record.h"

#include <gmock/gmock.h>

#include "memory/shipped_task.h"
#include "platform/memory_disk_for_test.h"
#include "referee/admission.h"
#include "task/load.h"

namespace kw::session {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class AdmissionRecord : public testing::Test {
 protected:
  AdmissionKnown known(const Task& task, Target target = Target::Cpu,
                       const std::string& judge = "judge") const {
    return known_admission(store_, data_, task, target, judge).value();
  }
  void remember(const std::vector<worker::AdmissionLine>& lines) {
    EXPECT_TRUE(remember_admission(store_, own_, Target::Cpu, "judge", lines));
  }
  Task shipped() const {
    return task::parse_task(memory::shipped_task(data_, "saxpy").value())->task;
  }

  platform::TempDir dir_ = std::move(platform::TempDir::create("kw-admission").value());
  platform::MemoryDisk disk_;
  store::RunStore store_ = store::RunStore::open(dir_.path(), disk_).value();
  memory::DataFiles data_ = memory::DataFiles::open(std::nullopt).value();
  Task own_ = [] {
    Task task;
    task.name = "mine";
    task.sha256 = "abc";
    return task;
  }();
};

const worker::AdmissionLine kFine{"zeros", "prime", true, "caught"};
const worker::AdmissionLine kHole{"zeros", "large", false, "taken for correct"};
const worker::AdmissionLine kLate{std::string(referee::kTimeWasSpent), "all", false, ""};

TEST_F(AdmissionRecord, WhatNobodyCheckedWasNeverAdmitted) {
  EXPECT_EQ(known(own_).state, AdmissionState::Never);
  EXPECT_THAT(admission_warning(known(own_), "tasks/mine", Target::Cuda),
              testing::AllOf(HasSubstr("NEVER ADMITTED"),
                             HasSubstr("kw task check tasks/mine --target cuda")));
}

TEST_F(AdmissionRecord, ACheckCountsForThisTaskTargetAndJudge) {
  remember({kFine});
  EXPECT_EQ(known(own_).state, AdmissionState::Admitted);
  EXPECT_THAT(admission_warning(known(own_), "mine", Target::Cpu), IsEmpty());
  EXPECT_EQ(known(own_, Target::Cuda).state, AdmissionState::Never);
  EXPECT_EQ(known(own_, Target::Cpu, "another compiler").state, AdmissionState::Never);
  Task changed = own_;
  changed.sha256 = "abd";
  EXPECT_EQ(known(changed).state, AdmissionState::Never);
}

TEST_F(AdmissionRecord, AHoleRefusesTheTaskAndTheLastCheckCounts) {
  remember({kFine, kHole, kLate});
  EXPECT_EQ(known(own_).state, AdmissionState::Refused);
  EXPECT_EQ(known(own_).problem, "zeros on large: taken for correct");
  remember({kFine, kLate});
  EXPECT_EQ(known(own_).state, AdmissionState::Unfinished);
  EXPECT_THAT(admission_warning(known(own_), "mine", Target::Cpu), HasSubstr("NOT ADMITTED"));
  remember({});
  EXPECT_EQ(known(own_).state, AdmissionState::Unfinished) << "nothing was looked at";
}

TEST_F(AdmissionRecord, AShippedTaskIsAdmittedByTheTestsAsItIsAndOnAProcessor) {
  EXPECT_EQ(known(shipped()).state, AdmissionState::Shipped);
  EXPECT_THAT(admission_warning(known(shipped()), "saxpy", Target::Cpu), IsEmpty());
  EXPECT_THAT(admission_warning(known(shipped(), Target::Cuda), "saxpy", Target::Cuda),
              HasSubstr("on a processor"));
  Task changed = shipped();
  changed.sha256 = "abd";
  EXPECT_EQ(known(changed).state, AdmissionState::Never);
}

}  // namespace
}  // namespace kw::session
