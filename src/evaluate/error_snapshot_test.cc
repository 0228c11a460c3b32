// The words of errors of what surrounds an evaluation: see src/base/error_snapshot_test.cc.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error_for_test.h"
#include "evaluate/prepare.h"
#include "evaluate/synthetic.h"

namespace kw::evaluate {
namespace {

/// Compiles nothing.
class RefusingCompiler final : public compile::Compiler {
 public:
  Result<compile::CompileResult> build(const BuildUnit&) override {
    compile::CompileResult result;
    result.evidence = "reference.cpp:1:1: 'y' was not declared";
    return result;
  }
  const std::string& identity() const override { return identity_; }

 private:
  std::string identity_ = "refusing";
};

TEST(ErrorSnapshot, Evaluate) {
  RefusingCompiler compiler;
  EvaluationRequest request;
  request.units.emplace_back().role = "reference";
  EXPECT_THAT(build_references(request, compiler, 1),
              IsErrorShownAs(ErrorCode::DoesNotCompile,
                             "the task's reference does not compile: reference.cpp:1:1: 'y' was "
                             "not declared"));
  const search::Landscape landscape({});
  SyntheticCarrier carrier(landscape);
  EXPECT_THAT(carrier.next(),
              IsErrorShownAs(ErrorCode::WrongState,
                             "synthetic carrier: no evaluation was submitted, so there is none to "
                             "wait for"));
}

}  // namespace
}  // namespace kw::evaluate
