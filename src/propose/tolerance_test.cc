// Tests of what prompts say of a task's gates.
// SPDX-License-Identifier: Apache-2.0
#include "propose/tolerance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "memory/shipped_task.h"
#include "propose/shipped_for_test.h"
#include "task/load.h"

namespace kw::propose {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string told(const std::string& name) { return describe_tolerance(shipped(name)); }

TEST(Tolerance, SumsOfProductsNameTheirLengthAndTheUnitOfEachRounding) {
  EXPECT_EQ(told("matmul"),
            "Each element may differ from the float64 truth by at most 4 sqrt(k) u S + u |truth|. "
            "Here k is `k`, the number of products in a sum, S is the sum of the absolute values "
            "of these products, and u = 2^-24 is half the distance from 1 to the next number of "
            "the type. The RMS error may be at most 6 times that of the reference at the task's "
            "type, which arithmetic of fewer bits does not reach. Timed inputs hold a few lines of "
            "such numbers that elements are exact in any order of summing: where S is at most 8 "
            "(or k / 16, if that is less), no element may differ by more than 2^-21. All "
            "inputs are finite; infinities and NaN must stand where the truth has them and nowhere "
            "else.");
  EXPECT_THAT(told("matmul_bf16"),
              AllOf(HasSubstr("4 sqrt(k) 2^-24 S + u |truth|"), HasSubstr("k is `k`"),
                    HasSubstr("2^-24 is the rounding of a float"),
                    HasSubstr("u = 2^-8 is that of the result's type"),
                    HasSubstr("that of rounding the truth once"), Not(HasSubstr("2^-25"))));
  EXPECT_THAT(told("matmul_f16"),
              AllOf(HasSubstr("u = 2^-11 is that"), HasSubstr("2^-25 is allowed besides")));
}

TEST(Tolerance, Float64IsHeldToItsReferenceAsFloatIs) {
  task::Definition doubles = shipped("matmul");
  for (Parameter& p : doubles.task.signature)
    if (is_real(p.dtype)) p.dtype = Dtype::F64;
  EXPECT_THAT(describe_tolerance(doubles),
              AllOf(HasSubstr("u = 2^-53"), HasSubstr("that of the reference at the task's type")));
}

TEST(Tolerance, OtherSumsSayWhatTheyAreMeasuredAgainst) {
  const std::string scan = told("scan");
  EXPECT_THAT(scan, AllOf(HasSubstr("at most 14 u S + u |truth|"), HasSubstr("partial sums"),
                          HasSubstr("more than 2^-21"), HasSubstr("the bound that binds"),
                          Not(HasSubstr("product")), Not(HasSubstr("k is"))));
  EXPECT_THAT(told("layernorm"),
              AllOf(HasSubstr("8 sqrt(k) u S"), HasSubstr("k is `cols`, the length of the sums"),
                    HasSubstr("mean |x|"), Not(HasSubstr("product"))));
  EXPECT_THAT(told("attention_bf16"), AllOf(HasSubstr("at most 2^-5 S"), HasSubstr("weights p")));
  EXPECT_THAT(told("conv2d"),
              AllOf(HasSubstr("4 sqrt(k) u (S + 2)"), HasSubstr("more than 2^-16")));
}

TEST(Tolerance, RelativeGatesTellTheirUnitAndScale) {
  EXPECT_THAT(told("softmax"),
              AllOf(HasSubstr("at most 512 u (|truth| + 1e-06), where u = 2^-24 is half"),
                    HasSubstr("at most 8 times that of the reference")));
  EXPECT_THAT(told("softmax_bf16"), HasSubstr("where u = 2^-8 is half"));
  EXPECT_THAT(told("relu"), HasSubstr("at most 1 u |truth|,"));
}

TEST(Tolerance, WhereNothingIsRoundedThereIsNone) {
  EXPECT_EQ(told("histogram"), "Every integer of the outputs must be right.");
  EXPECT_EQ(told("transpose"),
            "Every bit of the outputs must be right: no error of rounding is allowed.");
}

}  // namespace
}  // namespace kw::propose
