// A reference that gives two answers for one question is the task's fault, never the candidate's.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error_for_test.h"
#include "base/text.h"
#include "referee/admission.h"
#include "referee/gpu_room_for_test.h"
#include "referee/testing.h"

namespace kw::referee {
namespace {

using testing::Arguments;
using ::testing::HasSubstr;
using testing::kCols;
using testing::kernel;
using testing::kPitch;
using testing::Room;

/// Twice the input, except for the last element, which stays as it was.
template <class Real>
void all_but_the_last(const Arguments<Real>& a) {
  const std::int64_t last = (a.rows - 1) * kPitch + kCols - 1;
  const Real kept = a.y[last];
  testing::twice(a);
  a.y[last] = kept;
}

/// Twice the input, plus a little more from call to call.
template <class Real>
auto drifting() {
  return [calls = 0](const Arguments<Real>& a) mutable {
    testing::twice(a);
    a.y[0] += static_cast<Real>(0.25 * ++calls);
  };
}

void leave_the_last(Room& room) {
  room.world.objects["f64"].kernel = kernel<double>(1e6, all_but_the_last<double>);
  room.world.objects["native"].kernel = kernel<float>(1e6, all_but_the_last<float>);
}

void drift(Room& room) {
  room.world.objects["f64"].kernel = kernel<double>(1e6, drifting<double>());
  room.world.objects["native"].kernel = kernel<float>(1e6, drifting<float>());
}

Error error_of(Room& room) {
  const auto judged = room.referee.judge(room.request);
  if (judged) return {.what = "judged: " + judged->verdict.evidence, .where = {}};
  EXPECT_TRUE(judged.error().is_input);
  return judged.error();
}

std::string problems_of(Room& room) {
  const auto admission = admit(*room.device, nullptr, room.request, {.timeout_ns = 1'000'000'000});
  if (!admission) panic(describe(admission.error()).c_str());
  EXPECT_FALSE(admission->is_admitted);
  return join(admission->problems, "\n");
}

TEST(Doubt, AnUnwrittenElementIsNotHeldAgainstTheCandidate) {
  Room room;
  leave_the_last(room);
  EXPECT_THAT(error_of(room), IsErrorAbout(ErrorCode::TaskAtFault, "unwritten"));
}

TEST(Doubt, WhatAReferenceKeepsIsNotHeldAgainstTheCandidate) {
  Room room;
  drift(room);
  EXPECT_THAT(error_of(room), IsErrorAbout(ErrorCode::TaskAtFault, "kept from call to call"));
}

TEST(Doubt, AdmissionRefusesAnUnwrittenElement) {
  Room room;
  leave_the_last(room);
  EXPECT_THAT(problems_of(room), HasSubstr("unwritten"));
}

TEST(Doubt, AdmissionRefusesWhatAReferenceKeeps) {
  Room room;
  // The reference is off by so little that every gate accepts it.
  room.request.task.gate = {.kind = GateKind::Relative, .c = 4e6, .scale = 1, .rms_factor = 0};
  room.world.objects["f64"].kernel =
      kernel<double>(1e6, [calls = 0](const Arguments<double>& a) mutable {
        testing::twice(a);
        a.y[0] += ++calls % 5 == 4 ? 1e-4 : 0;
      });
  EXPECT_THAT(problems_of(room), HasSubstr("keeps something from call to call"));
}

TEST(Doubt, ASteadyReferenceIsBelievedAfterTheFirstWrongAnswer) {
  Room room;
  const auto references = [&] {
    return std::count(room.world.log.begin(), room.world.log.end(), "call reference");
  };
  room.judge();
  const auto wrong = [](const Arguments<float>& a) {
    testing::twice(a);
    a.y[0] += 1;
  };
  const auto before = references();
  EXPECT_VERDICT(room.judge(wrong), Check, WrongResult);
  const auto asked = references() - before;
  EXPECT_GT(asked, 1);
  EXPECT_VERDICT(room.judge(wrong), Check, WrongResult);
  EXPECT_EQ(references() - before, asked);
}

TEST(Doubt, OfAGpusTaskAsksTheHost) {
  testing::GpuRoom room;
  room.host_world.objects["f64"].kernel = kernel<double>(1e6, all_but_the_last<double>);
  room.host_world.objects["native"].kernel = kernel<float>(1e6, all_but_the_last<float>);
  const auto judged = room.referee->judge(room.request);
  EXPECT_THAT(judged, IsErrorAbout(ErrorCode::TaskAtFault, "unwritten"));
  testing::GpuRoom sound;
  EXPECT_VERDICT(sound.judge([](const Arguments<float>&) {}), Check, WrongResult);
}

}  // namespace
}  // namespace kw::referee
