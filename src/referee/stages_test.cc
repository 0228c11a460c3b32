// How the referee divides the time of an evaluation among its stages.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "referee/testing.h"

namespace kw::referee {
namespace {

/// A clock that advances by a nanosecond with every look.
class Ticking final : public platform::Clock {
 public:
  std::int64_t now_ns() const override { return ++looks; }
  std::int64_t wall_seconds() const override { return 0; }
  void sleep_for(platform::Nanoseconds) override {}
  mutable std::int64_t looks = 0;
};

TEST(StageTimes, AddUpToTheWhole) {
  testing::Room room;
  room.request.until = Stage::Check;
  Ticking clock;
  Referee referee(*room.device, nullptr, {}, clock);
  const auto evaluation = referee.judge(room.request);
  ASSERT_TRUE(evaluation) << describe(evaluation.error());
  double sum = 0;
  for (const auto& [stage, ns] : evaluation->stage_ns) sum += ns;
  EXPECT_EQ(evaluation->stage_ns.at("load"), 1);
  EXPECT_EQ(sum, static_cast<double>(clock.looks - 1)) << "between the first look and the last";
}

}  // namespace
}  // namespace kw::referee
