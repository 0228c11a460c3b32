// Tests of building a request's units.
// SPDX-License-Identifier: Apache-2.0
#include "evaluate/prepare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/contains.h"
#include "base/error_for_test.h"
#include "task/long_truth.h"

namespace kw::evaluate {
namespace {

using testing::Contains;
using testing::IsEmpty;

/// Compiles no truth in long double.
class Refusing final : public compile::Compiler {
 public:
  Result<compile::CompileResult> build(const BuildUnit& unit) override {
    compile::CompileResult result;
    result.is_repeatable = is_repeatable;
    if (unit.role != "reference_f64" || contains(unit.defines, task::kTruthInDouble)) {
      result.outcome = Outcome::Correct;
      result.object.emplace_back();
    }
    return result;
  }
  const std::string& identity() const override { return identity_; }
  bool is_repeatable = true;

 private:
  std::string identity_ = "refusing";
};

EvaluationRequest request_of(Dtype dtype) {
  EvaluationRequest request;
  request.task.signature = {{"y", true, dtype, TensorRole::Out}};
  for (const char* role : {"reference_f64", "reference_native"})
    request.units.emplace_back().role = role;
  return request;
}

TEST(Prepare, ATruthThatDoesNotCompileInLongDoubleStaysInDouble) {
  Refusing compiler;
  EvaluationRequest request = request_of(Dtype::F64);
  ASSERT_TRUE(build_references(request, compiler, 1));
  EXPECT_THAT(request.unit("reference_f64")->defines, Contains(task::kTruthInDouble));
  EXPECT_EQ(request.unit("reference_f64")->object.size(), 1u);
  EXPECT_THAT(request.unit("reference_native")->defines, IsEmpty());
}

TEST(Prepare, NothingElseIsBuiltInAnotherWay) {
  Refusing compiler;
  EvaluationRequest floats = request_of(Dtype::F32);
  EXPECT_THAT(build_references(floats, compiler, 1),
              IsErrorAbout(ErrorCode::DoesNotCompile, "reference_f64"));
  compiler.is_repeatable = false;
  EvaluationRequest late = request_of(Dtype::F64);
  EXPECT_THAT(build_references(late, compiler, 1),
              IsErrorAbout(ErrorCode::DoesNotCompile, "reference_f64"))
      << "the compiler had no time";
}

}  // namespace
}  // namespace kw::evaluate
