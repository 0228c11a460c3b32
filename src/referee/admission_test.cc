// Admission accepts a sound task and names the hole of each unsound one.
// SPDX-License-Identifier: Apache-2.0
#include "referee/admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "referee/admission_for_test.h"
#include "referee/bench.h"
#include "referee/gpu_room_for_test.h"
#include "referee/testing.h"
#include "task/long_truth.h"

namespace kw::referee {
namespace {

using testing::Arguments;
using testing::examine;
using ::testing::HasSubstr;
using testing::kCols;
using testing::kernel;
using testing::kPitch;
using testing::kRows;
using testing::problems;
using testing::Room;
using testing::set_reference;

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
  EXPECT_FALSE(problems(admission).contains(" of x everywhere")) << "that is no news";
}

/// Makes y a matrix of bytes: `f` of each element of x.
template <class F>
void set_bytes(Room& room, F f) {
  const auto body = [f]<class Real>(const Arguments<Real>& a) {
    auto* y = reinterpret_cast<std::uint8_t*>(a.y);
    for (std::int64_t r = 0; r < a.rows; ++r)
      for (std::int64_t c = 0; c < kCols; ++c)
        y[r * kPitch + c] = f(static_cast<float>(a.x[r * kPitch + c]));
  };
  set_reference(room, body);
  for (Workload& workload : room.request.workloads) workload.tensors[1].dtype = Dtype::U8;
  room.request.task.signature[2].dtype = Dtype::U8;
  room.request.task.gate = {.kind = GateKind::Exact, .rms_factor = 0};
}

/// What the gates say of a null answer on the timed workload.
const NullAnswer& null_answer(const Admission& admission, const std::string& name) {
  for (const NullAnswer& one : admission.answers)
    if (one.name == name && one.group == Group::Time) return one;
  panic(("no null answer is named " + name).c_str());
}

TEST(Admission, FindsAnImageThatIsOneByte) {
  for (const bool is_blind : {false, true}) {
    Room room;
    set_bytes(room, [=](float x) { return static_cast<std::uint8_t>(is_blind || x > 0 ? 42 : 7); });
    const Admission admission = examine(room);
    for (const char* name : {"one byte everywhere", "commonest value everywhere"}) {
      EXPECT_TRUE(null_answer(admission, name).is_applicable);
      EXPECT_EQ(null_answer(admission, name).passed, is_blind) << name;
    }
    EXPECT_EQ(problems(admission).contains("'one byte everywhere'"), is_blind);
    if (is_blind) {
      EXPECT_EQ(null_answer(admission, "one byte everywhere").note, "the byte 0x2a");
    }
  }
}

TEST(Admission, FindsAWordThatIsTheAnswerToEveryInput) {
  for (const float word : {7.5f, 0.0f}) {
    Room room;
    set_reference(room, [=](const auto& a) {
      for (std::int64_t r = 0; r < a.rows; ++r)
        for (std::int64_t c = 0; c < kCols; ++c) a.y[r * kPitch + c] = word;
    });
    EXPECT_TRUE(null_answer(examine(room), "commonest value everywhere").passed);
    EXPECT_EQ(null_answer(examine(room), "zeros").passed, word == 0);
  }
}

TEST(Admission, FindsAnAnswerOfWhichOneHalfIsAConstant) {
  for (const bool is_second : {false, true}) {
    Room room;
    set_reference(room, [=](const auto& a) {
      testing::twice(a);
      for (std::int64_t r = 0; r < a.rows; ++r)
        for (std::int64_t c = 0; c < kCols; ++c)
          if ((r >= a.rows / 2) == is_second) a.y[r * kPitch + c] = 0;
    });
    const Admission admission = examine(room);
    EXPECT_EQ(null_answer(admission, "commonest value in the second half").passed, is_second);
    EXPECT_EQ(null_answer(admission, "commonest value in the first half").passed, !is_second);
    EXPECT_FALSE(null_answer(admission, "commonest value everywhere").passed);
    room.request.task.excused = {
        {.mutant = "commonest value in the *", .on = {}, .why = "one half is padding"}};
    EXPECT_FALSE(problems(examine(room)).contains("commonest"));
  }
}

TEST(Admission, AFewElementsMayHappenToBeAllTheSame) {
  Room room;
  set_bytes(room, [](float) { return std::uint8_t{1}; });
  for (Workload& workload : room.request.workloads)
    workload.tensors[1].compared = {Region{{{0, 1}, {0, 3}}}};
  EXPECT_FALSE(null_answer(examine(room), "ones").is_applicable);
}

TEST(Admission, RunsTheReferenceOnSeveralInputSetsOfACheckWorkload) {
  Room room;
  const auto seen = std::make_shared<std::set<float>>();
  room.world.objects["native"].kernel = kernel<float>(1e6, [=](const Arguments<float>& a) {
    testing::twice(a);
    if (a.rows != kRows - 1) return;
    seen->insert(a.x[0]);
    if (seen->size() == 3) a.y[0] += 1e-3f;
  });
  const Admission admission = examine(room);
  EXPECT_EQ(seen->size(), 3u);
  EXPECT_THAT(problems(admission), HasSubstr("fails the task's own gates on workload 'odd'"));
}

TEST(Admission, AnHonestKernelWithOtherSumsMustPass) {
  for (const float error : {0.0f, std::ldexp(1.0f, -23), 1e-3f}) {
    Room room;
    room.add_unit(kReorderedRole, "reordered");
    room.world.objects["reordered"].kernel = kernel<float>(1e6, [=](const Arguments<float>& a) {
      testing::twice(a);
      a.y[0] += error;
    });
    const Admission admission = examine(room);
    EXPECT_EQ(admission.is_admitted, error < 1e-3f) << problems(admission);
    EXPECT_EQ(std::ranges::count(admission.baseline, true, &BaselineFigure::is_reordered), 3);
    EXPECT_EQ(problems(admission).contains("An honest kernel fails on workload 'large'"),
              error == 1e-3f);
  }
}

TEST(Admission, TheHonestKernelIsTheReferenceWithAnotherOrderOfSums) {
  Room room;
  EXPECT_FALSE(reordered_unit(room.request).has_value()) << "no source";
  room.request.units.back().files = {{"reference.cpp", "f();\n"}};
  const auto unit = reordered_unit(room.request);
  ASSERT_TRUE(unit.has_value());
  EXPECT_EQ(unit->role, kReorderedRole);
  EXPECT_THAT(unit->files.front().text, HasSubstr("\"associative-math\""));
  EXPECT_THAT(unit->files.front().text, HasSubstr("\nf();\n"));
  EXPECT_TRUE(unit->object.empty());
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

TEST(Admission, RemarksOnATruthThatStaysInDouble) {
  Room room;
  ASSERT_EQ(room.request.units[2].role, "reference_f64");
  room.request.units[2].defines.emplace_back(task::kTruthInDouble);
  const Admission admission = examine(room);
  EXPECT_TRUE(admission.is_admitted) << problems(admission);
  EXPECT_EQ(admission.remarks.size(), 1u);
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
  EXPECT_FALSE(
      admit(*room.device, nullptr, room.request, {.timeout_ns = 1'000'000'000}).has_value());
}

TEST(Admission, OfAGpusTaskHoldsTheFastReferenceAgainstTheTruth) {
  for (const double factor : {2.0, 2.00001}) {
    testing::GpuRoom room;
    room.add_fast([=](const Arguments<double>& a) {
      for (std::int64_t r = 0; r < a.rows; ++r)
        for (std::int64_t c = 0; c < kCols; ++c) a.y[r * kPitch + c] = factor * a.x[r * kPitch + c];
    });
    const auto admission =
        admit(*room.device, room.host.get(), room.request, {.timeout_ns = 1'000'000'000});
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
