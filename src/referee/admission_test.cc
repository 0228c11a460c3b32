// Admission accepts a sound task and names the hole of each unsound one.
// SPDX-License-Identifier: Apache-2.0
#include "referee/admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/text.h"
#include "referee/bench.h"
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

constexpr std::int64_t kTimeout = 1'000'000'000;

Admission examine(Room& room) {
  auto admission = admit(*room.device, nullptr, room.request, {.timeout_ns = kTimeout});
  if (!admission.has_value()) panic(describe(admission.error()).c_str());
  return *std::move(admission);
}

std::string problems(const Admission& admission) { return join(admission.problems, "\n"); }

template <class Body>
void set_reference(Room& room, Body body) {
  room.world.objects["f64"].kernel = kernel<double>(1e6, body);
  room.world.objects["native"].kernel = kernel<float>(1e6, body);
}

TEST(Admission, AcceptsASoundTask) {
  Room room;
  const Admission admission = examine(room);
  EXPECT_TRUE(admission.is_admitted) << problems(admission);
  EXPECT_EQ(admission.baseline.size(), 3u);
  for (const NullAnswer& answer : admission.answers)
    EXPECT_FALSE(answer.is_applicable && answer.passed) << answer.name << " on " << answer.workload;
  EXPECT_GE(admission.answers.size(), 30u);
}

TEST(Admission, FindsAToleranceThatLetsZerosPass) {
  Room room;
  room.request.task.gate.scale = 1e9;
  room.request.task.gate.rms_factor = 0;
  const Admission admission = examine(room);
  EXPECT_FALSE(admission.is_admitted);
  EXPECT_THAT(problems(admission), HasSubstr("is taken for correct on every check workload"));
  EXPECT_THAT(
      problems(admission),
      HasSubstr("is taken for correct on the timed workload 'large': tighten 'gate' in task.yaml"));
}

TEST(Admission, FindsAToleranceThatLetsRoundedInputsPass) {
  Room room;
  room.request.task.gate.c = 1 << 15;
  room.request.task.gate.rms_factor = 0;
  const std::string found = problems(examine(room));
  EXPECT_THAT(found, HasSubstr("rounded one precision down"));
  EXPECT_THAT(found, HasSubstr("give the inputs 'values' of mean zero"));
}

TEST(Admission, FindsAConstantOutput) {
  Room room;
  set_reference(room, [](const auto& a) {
    for (std::int64_t r = 0; r < a.rows; ++r)
      for (std::int64_t c = 0; c < kCols; ++c) a.y[r * kPitch + c] = 1;
  });
  const Admission admission = examine(room);
  EXPECT_FALSE(admission.is_admitted);
  EXPECT_THAT(problems(admission),
              HasSubstr("is right on every workload. If the function does not read 'x'"));
}

TEST(Admission, FindsAReferenceThatFailsItsOwnGate) {
  Room room;
  room.world.objects["native"].kernel = kernel<float>(1e6, [](const Arguments<float>& a) {
    testing::twice(a);
    a.y[0] += 1e-3f;
  });
  EXPECT_THAT(problems(examine(room)), HasSubstr("fails the task's own gates"));
}

TEST(Admission, RemarksOnABaselineWithLittleToSpare) {
  Room room;
  const Admission roomy = examine(room);
  EXPECT_TRUE(roomy.remarks.empty());
  room.world.objects["native"].kernel = kernel<float>(1e6, [](const Arguments<float>& a) {
    testing::twice(a);
    a.y[0] += std::ldexp(1.0f, -23);  // half of what the gate allows for a value of 0
  });
  const Admission admission = examine(room);
  EXPECT_TRUE(admission.is_admitted) << problems(admission);
  EXPECT_FALSE(admission.remarks.empty());
}

TEST(Admission, LeavesOutWhatMemoryCannotHold) {
  Room room;
  const Workload& large = room.request.workloads.back();
  ASSERT_EQ(large.group, Group::Time);
  room.world.free_bytes = Bench(*room.device, room.request.task, large, Seed{},
                                {.maker = {.device = room.device.get()}})
                              .bytes_to_begin();
  EXPECT_THAT(examine(room).unexamined, ::testing::IsEmpty());
  room.world.free_bytes -= 1;
  const Admission admission = examine(room);
  EXPECT_TRUE(admission.is_admitted) << problems(admission);
  ASSERT_EQ(admission.unexamined.size(), 1u);
  EXPECT_EQ(admission.unexamined.front().name, large.name);
  EXPECT_THAT(admission.unexamined.front().reason, HasSubstr("are free"));
  EXPECT_THAT(admission.mutants, ::testing::IsEmpty());
  for (const NullAnswer& answer : admission.answers) EXPECT_NE(answer.workload, large.name);
}

TEST(Admission, ACrashingReferenceIsAnError) {
  Room room;
  room.world.objects["f64"].kernel = [](const auto&) {
    return device::CallResult{.fate = device::Fate::Crashed, .signal = 8};
  };
  EXPECT_FALSE(admit(*room.device, nullptr, room.request, {.timeout_ns = kTimeout}).has_value());
}

TEST(Admission, OfAGpusTaskHoldsTheFastReferenceAgainstTheTruth) {
  for (const double factor : {2.0, 2.00001}) {
    testing::GpuRoom room;
    room.add_fast([=](const Arguments<double>& a) {
      for (std::int64_t r = 0; r < a.rows; ++r)
        for (std::int64_t c = 0; c < kCols; ++c) a.y[r * kPitch + c] = factor * a.x[r * kPitch + c];
    });
    const auto admission =
        admit(*room.device, room.host.get(), room.request, {.timeout_ns = kTimeout});
    ASSERT_TRUE(admission) << describe(admission.error());
    EXPECT_EQ(admission->is_admitted, factor == 2.0) << problems(*admission);
    if (factor != 2.0) {
      EXPECT_THAT(problems(*admission), HasSubstr("disagrees with its reference"));
    }
    EXPECT_EQ(admission->unexamined.size(), factor == 2.0 ? 0u : 1u)
        << "what needs a fast reference that is wrong";
  }
}

}  // namespace
}  // namespace kw::referee
