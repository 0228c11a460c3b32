// Inputs that a task's init.cpp computes, on the fake device.
// SPDX-License-Identifier: Apache-2.0
#include "referee/coded_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/error_for_test.h"
#include "record/coded_inputs.h"
#include "referee/bench.h"
#include "referee/testing.h"

namespace kw::referee {
namespace {

using testing::kCols;
using testing::kPitch;
using testing::kRows;

/// The small task whose x the object "init" computes.
struct CodedRoom : testing::Room {
  CodedRoom() {
    for (Workload& workload : request.workloads) {
      workload.tensors.front().values = Values{};
      workload.tensors.front().values.kind = kCodedKind;
    }
    add_unit(kCodedRole, "init");
    fills_with([](std::uint64_t seed, std::int64_t i) {
      return static_cast<float>((seed >> (i % 40)) % 1000) + 0.5F;
    });
  }

  /// init.cpp sets element i of x to what `value(seed, i)` returns.
  template <class Value>
  void fills_with(Value value) {
    world.objects["init"].kernel =
        [value](const std::vector<std::vector<device::FakeArgument>>& sets) mutable {
          for (const auto& set : sets) {
            const std::uint64_t seed = *set[0].tensor<std::uint64_t>();
            const auto rows = set[1].value<std::int32_t>();
            for (std::int64_t r = 0; r < rows; ++r)
              for (std::int64_t c = 0; c < kCols; ++c)
                set[2].tensor<float>()[r * kPitch + c] = value(seed, r * kCols + c);
          }
          return device::returned_after(1000);
        };
  }
};

TEST(CodedInputs, AreGivenToCandidateAndReference) {
  CodedRoom room;
  bool is_computed = true;
  const Evaluation right = room.judge([&](const testing::Arguments<float>& a) {
    is_computed = is_computed && a.x[0] - static_cast<float>(static_cast<int>(a.x[0])) == 0.5F;
    testing::twice(a);
  });
  EXPECT_EQ(right.verdict.outcome, Outcome::Correct) << right.verdict.evidence;
  EXPECT_TRUE(is_computed);
  CodedRoom other;
  const Evaluation wrong = other.judge([](const testing::Arguments<float>& a) {
    testing::twice(a);
    a.y[0] += 1;
  });
  EXPECT_VERDICT(wrong, Check, WrongResult);
}

TEST(CodedInputs, LetTheCodeReadWhatIsDrawnOtherwise) {
  testing::Room room;
  Workload workload = room.request.workloads.back();
  Tensor drawn = workload.tensors.front();
  drawn.name = "z";
  workload.tensors.push_back(drawn);
  workload.tensors.front().values = Values{};
  workload.tensors.front().values.kind = kCodedKind;
  room.request.task.signature.push_back({"z", true, Dtype::F32, TensorRole::In});
  room.add_unit(kCodedRole, "init");
  room.world.objects["init"].kernel =
      [](const std::vector<std::vector<device::FakeArgument>>& sets) {
        for (const auto& set : sets)
          for (std::int64_t i = 0; i < kRows * kPitch - (kPitch - kCols); ++i)
            set[2].tensor<float>()[i] = set[3].tensor<float>()[i] + 1;
        return device::returned_after(1000);
      };
  const auto program = program_of(room.request, kCodedRole);
  Bench bench(*room.device, room.request.task, workload, Seed::from_number(3),
              {.maker = {.device = room.device.get(),
                         .task = &room.request.task,
                         .timeout_ns = 1'000'000'000},
               .coded = &*program});
  const auto set = bench.pool().set(1);
  ASSERT_TRUE(set.has_value()) << describe(set.error());
  float x = 0, z = 0;
  ASSERT_TRUE((**set)[0]->read(4 * kPitch, std::as_writable_bytes(std::span(&x, 1))).has_value());
  ASSERT_TRUE((**set)[2]->read(4 * kPitch, std::as_writable_bytes(std::span(&z, 1))).has_value());
  EXPECT_EQ(x, z + 1);
}

/// The fault of the task that judging a right kernel reports.
Error fault_in(CodedRoom& room) {
  room.world.objects["candidate"].kernel = testing::kernel<float>(2e6, testing::twice<float>);
  auto judged = room.referee.judge(room.request);
  return judged ? Error{} : judged.error();
}

TEST(CodedInputs, MustComeFromTheSeed) {
  CodedRoom room;
  room.fills_with([](std::uint64_t, std::int64_t i) { return static_cast<float>(i); });
  const Error fault = fault_in(room);
  EXPECT_EQ(fault.code, ErrorCode::TaskAtFault);
  EXPECT_EQ(fault.about, "x");
}

TEST(CodedInputs, MayBeConstantIfTheTaskSaysSo) {
  CodedRoom room;
  for (Workload& workload : room.request.workloads)
    workload.tensors.front().values.numbers["constant"] = 1;
  room.fills_with([](std::uint64_t, std::int64_t i) { return static_cast<float>(i); });
  EXPECT_EQ(room.judge(testing::twice<float>).verdict.outcome, Outcome::Correct);
}

TEST(CodedInputs, MustBeTheSameForTheSameSeed) {
  CodedRoom room;
  int calls = 0;
  room.fills_with([&calls](std::uint64_t, std::int64_t) { return static_cast<float>(++calls); });
  const Error fault = fault_in(room);
  EXPECT_EQ(fault.code, ErrorCode::TaskAtFault);
  EXPECT_EQ(fault.about, "x");
}

TEST(CodedInputs, ComeFromCodeThatReturns) {
  CodedRoom room;
  room.world.objects["init"].kernel = [](const auto&) {
    return device::CallResult{.fate = device::Fate::TimedOut};
  };
  const Error fault = fault_in(room);
  EXPECT_EQ(fault.code, ErrorCode::TaskAtFault);
  EXPECT_EQ(fault.about, "call_timed_out");
}

TEST(CodedInputs, NeedTheirProgram) {
  CodedRoom room;
  std::erase_if(room.request.units, [](const BuildUnit& unit) { return unit.role == kCodedRole; });
  const Error fault = fault_in(room);
  EXPECT_EQ(fault.code, ErrorCode::Missing);
  EXPECT_EQ(fault.about, kCodedRole);
}

}  // namespace
}  // namespace kw::referee
