// The words of errors of baselines that cannot be used: see src/base/error_snapshot_test.cc.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/error_for_test.h"
#include "engine/run.h"

namespace kw::engine {
namespace {

TEST(ErrorSnapshot, Engine) {
  EXPECT_THAT(choose_baseline({}, ""),
              IsErrorShownAs(ErrorCode::Missing,
                             "the task has no baseline for this target: put a plain kernel into "
                             "baselines/naive.cu"));
  std::vector<BaselineStanding> standings(1);
  standings[0].candidate.name = "omp";
  Verdict& verdict = standings[0].evaluation.verdict;
  verdict = make_verdict(Stage::Measure, Outcome::Unmeasurable,
                         {.kind = EvidenceKind::OpponentHasNoTime});
  EXPECT_THAT(choose_baseline(standings, "omp"),
              IsErrorShownAs(ErrorCode::Failed,
                             "baseline 'omp' is not usable: a call of the opponent takes no longer "
                             "than an empty call"));
  verdict = make_verdict(
      Stage::Check, Outcome::WrongResult,
      {.kind = EvidenceKind::PaddingChanged, .workload = "large", .tensor = "y", .numbers = {4}});
  EXPECT_THAT(choose_baseline(standings, "omp"),
              IsErrorShownAs(ErrorCode::TaskAtFault,
                             "baseline 'omp' is not usable: workload 'large', tensor 'y': 4 bytes "
                             "of padding between rows were changed"));
}

}  // namespace
}  // namespace kw::engine
