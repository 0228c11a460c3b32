// Tests of how prompts describe task and machine.
// SPDX-License-Identifier: Apache-2.0
#include "propose/describe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/shipped_task.h"
#include "propose/test_situation.h"

namespace kw::propose {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

task::Definition shipped(const std::string& name) {
  const auto data = memory::DataFiles::open(std::nullopt);
  auto definition = task::parse_task(*memory::shipped_task(*data, name));
  EXPECT_TRUE(definition.has_value()) << name;
  return std::move(*definition);
}

TEST(Describe, ADotGateNamesItsLengthAndTheUnitOfEachRounding) {
  EXPECT_EQ(describe_tolerance(shipped("matmul")),
            "Each element may differ from the float64 truth by at most 4 sqrt(k) u S + u |truth|. "
            "Here k is `k`, the number of products in a sum, S is the sum of the absolute values "
            "of these products, and u = 2^-24 is half the distance from 1 to the next number of "
            "the type. The RMS error may be at most 6 times that of the reference at the task's "
            "type, which arithmetic of fewer bits does not reach. Infinities and NaN must stand "
            "where the truth has them and nowhere else.");
  const std::string half = describe_tolerance(shipped("matmul_bf16"));
  EXPECT_THAT(half, AllOf(HasSubstr("4 sqrt(k) 2^-24 S + u |truth|"), HasSubstr("k is `k`"),
                          HasSubstr("2^-24 is the rounding of a float"),
                          HasSubstr("u = 2^-8 is that of the result's type"),
                          HasSubstr("that of rounding the truth once")));
  EXPECT_THAT(describe_tolerance(shipped("matmul_f16")), HasSubstr("u = 2^-11 is that"));
}

TEST(Describe, OtherGatesTellTheirUnitToo) {
  EXPECT_THAT(describe_tolerance(test_task()),
              AllOf(HasSubstr("at most 4 u (|truth| + 0.5), where u = 2^-24 is half"),
                    HasSubstr("at most 3 times that of the reference")));
  EXPECT_THAT(describe_tolerance(shipped("softmax_bf16")), HasSubstr("where u = 2^-8 is half"));
  EXPECT_EQ(describe_tolerance(shipped("histogram")), "Every bit of the outputs must be right.");
}

// If a variant of a task fixes the gap between rows to 0, the prompt must not mention a gap.
TEST(Describe, RowsAreApartOnlyWhereTheTaskLetsThem) {
  EXPECT_TRUE(has_pitch(shipped("softmax_padded")));
  const auto contiguous = shipped("softmax");
  EXPECT_FALSE(has_pitch(contiguous));
  for (const ArgumentWords& a : describe_arguments(contiguous))
    EXPECT_THAT(a.what, AllOf(Not(HasSubstr("apart")), Not(HasSubstr("pad")))) << a.name;
  EXPECT_THAT(describe_layout(contiguous, Target::Cpu), Not(HasSubstr("pad")));
  EXPECT_THAT(describe_layout(shipped("softmax_padded"), Target::Cpu),
              HasSubstr("`pad` is no argument: take"));
}

TEST(Describe, CuteIsNamedOnlyWhereItCompiles) {
  const Task task = test_task().task;
  EXPECT_THAT(describe_restrictions(task, Target::Cuda, true), Contains(HasSubstr("CuTe")));
  EXPECT_THAT(describe_restrictions(task, Target::Cuda, false), Each(Not(HasSubstr("CuTe"))));
  EXPECT_THAT(describe_restrictions(task, Target::Cuda),
              Contains(HasSubstr("at most 4 KiB of local memory")));
}

}  // namespace
}  // namespace kw::propose
