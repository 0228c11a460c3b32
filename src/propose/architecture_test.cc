// Tests of what prompts say about a GPU architecture.
// SPDX-License-Identifier: Apache-2.0
#include "propose/architecture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "propose/describe.h"
#include "propose/test_situation.h"

namespace kw::propose {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::SizeIs;

TEST(Architecture, TellsLimitsAndInstructionsOfItsOwn) {
  const auto turing = describe_architecture("sm_75");
  ASSERT_THAT(turing, SizeIs(3));
  EXPECT_THAT(turing[0], AllOf(HasSubstr("255 registers a thread"),
                               HasSubstr("32 warps of 32 threads and 16 blocks")));
  EXPECT_THAT(turing[1], AllOf(HasSubstr("m16n8k8"), Not(HasSubstr("cp.async"))));
  for (const char* word :
       {"cp.async", "bf16", "tf32", "fp8", "clusters", "TMA", "wgmma", "tcgen05"})
    EXPECT_THAT(turing[2], HasSubstr(word));
  const auto hopper = describe_architecture("sm_90a");
  ASSERT_THAT(hopper, SizeIs(3));
  for (const char* word : {"cp.async", "bf16", "tf32", "fp8", "clusters", "TMA", "wgmma"})
    EXPECT_THAT(hopper[1], HasSubstr(word));
  EXPECT_THAT(describe_architecture("sm_90")[2], HasSubstr("wgmma"));
  EXPECT_THAT(describe_architecture("sm_89")[1], AllOf(HasSubstr("fp8"), Not(HasSubstr("TMA"))));
  EXPECT_THAT(describe_architecture("sm_1"), IsEmpty());
  EXPECT_THAT(describe_architecture(""), IsEmpty());
}

TEST(Architecture, OfADeviceThatIsNotAtHandOnlyTheLeastIsClaimed) {
  DeviceFacts facts;
  facts.target = Target::Cuda;
  facts.model = "Any GPU of this architecture";
  GpuFacts& gpu = facts.gpu.emplace_back();
  gpu.arch = "sm_75";
  gpu.multiprocessors = 40;
  gpu.threads_per_multiprocessor = 1024;
  const auto lines = describe_device(facts, test_task().task, {"Tesla T4, 40 multiprocessors"});
  EXPECT_THAT(lines[0], AllOf(HasSubstr("sm_75 that is not at hand"), Not(HasSubstr("40"))));
  EXPECT_EQ(lines[1], "It may be: Tesla T4, 40 multiprocessors");
  facts.memory_bytes = std::int64_t{16} << 30;
  EXPECT_THAT(describe_device(facts, test_task().task).front(),
              AllOf(HasSubstr("(sm_75), 40 multiprocessors"), HasSubstr("GiB memory")));
}

TEST(Architecture, WhatATaskAsksOfKernelsIsTold) {
  task::Definition task;
  task.task.restrictions.registers = 96;
  task.task.restrictions.archs = {"sm_80", "sm_90a"};
  EXPECT_THAT(describe_restrictions(task, Target::Cuda),
              IsSupersetOf({"A thread of any kernel has at most 96 registers.",
                            "It is compiled for no other architecture than sm_80, sm_90a."}));
  EXPECT_THAT(describe_restrictions(task, Target::Cpu), Each(Not(HasSubstr("registers"))));
}

}  // namespace
}  // namespace kw::propose
