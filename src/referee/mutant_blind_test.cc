// Kernels that read one part of an input, take one scalar for another or leave passes of a loop out
// are caught, and a task that cannot tell them from honest ones is refused.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "referee/admission_for_test.h"
#include "referee/testing.h"
#include "task/reference_loops.h"

namespace kw::referee {
namespace {

using testing::Arguments;
using testing::examine;
using ::testing::HasSubstr;
using testing::kCols;
using testing::kernel;
using testing::kPitch;
using testing::mutant_of;
using ::testing::Not;
using testing::problems;
using testing::Room;
using testing::set_reference;

TEST(BlindMutant, ATableOfWhichTwoRowsAreReadIsRefused) {
  for (const std::int64_t rows : {std::int64_t{1}, std::int64_t{2}, testing::kRows}) {
    Room room;
    set_reference(room, [rows](const auto& a) {
      for (std::int64_t r = 0; r < a.rows; ++r)
        for (std::int64_t c = 0; c < kCols; ++c) a.y[r * kPitch + c] = a.x[r % rows * kPitch + c];
    });
    const Admission admission = examine(room);
    EXPECT_EQ(mutant_of(admission, "first row of x everywhere").fate,
              rows == 1 ? MutantFate::Blind : MutantFate::Caught);
    EXPECT_EQ(mutant_of(admission, "first two rows of x everywhere").fate,
              rows <= 2 ? MutantFate::Blind : MutantFate::Caught);
    EXPECT_EQ(mutant_of(admission, "first element of x everywhere").fate, MutantFate::Caught);
    EXPECT_EQ(admission.is_admitted, rows == testing::kRows) << problems(admission);
    if (rows <= 2) {
      EXPECT_THAT(problems(admission),
                  HasSubstr("The timed workload 'large' asks for no more than a mutant does"));
      EXPECT_THAT(problems(admission), HasSubstr("'first two rows of x everywhere'"));
    }
  }
}

TEST(BlindMutant, AnExcuseAdmitsATaskThatReadsOneRow) {
  Room room;
  set_reference(room, [](const auto& a) {
    for (std::int64_t r = 0; r < a.rows; ++r)
      for (std::int64_t c = 0; c < kCols; ++c) a.y[r * kPitch + c] = a.x[c];
  });
  room.request.task.excused = {
      {.mutant = "first * of x everywhere", .on = {"large"}, .why = "one row is a table, too"}};
  const Admission admission = examine(room);
  EXPECT_EQ(mutant_of(admission, "first row of x everywhere").fate, MutantFate::Excused);
  EXPECT_EQ(mutant_of(admission, "first row of x everywhere").note, "one row is a table, too");
  EXPECT_THAT(problems(admission), Not(HasSubstr("everywhere")));
}

TEST(BlindMutant, ATableOfWhichOneHalfIsReadIsRefused) {
  for (const bool is_half : {true, false}) {
    Room room;
    set_reference(room, [is_half](const auto& a) {
      for (std::int64_t r = 0; r < a.rows; ++r)
        for (std::int64_t c = 0; c < kCols; ++c)
          a.y[r * kPitch + c] = a.x[(is_half ? r / 2 : r) * kPitch + c];
    });
    const MutantFate fate = mutant_of(examine(room), "second half of x ignored").fate;
    EXPECT_EQ(fate, is_half ? MutantFate::Blind : MutantFate::Caught);
  }
}

TEST(BlindMutant, AGateThatIsTooLooseForARowEverywhereIsNamed) {
  Room room;
  room.request.task.gate.scale = 1e9;
  room.request.task.gate.rms_factor = 0;
  const Admission admission = examine(room);
  EXPECT_EQ(mutant_of(admission, "first row of x everywhere").fate, MutantFate::Passed);
  EXPECT_THAT(problems(admission), HasSubstr("The wrong answer 'first row of x everywhere'"));
}

/// y = 2 x of integers from `lo` to `hi`.
void make_integer(Room& room, double lo, double hi) {
  set_reference(room, [](const auto& a) {
    const auto* x = reinterpret_cast<const std::int32_t*>(a.x);
    auto* y = reinterpret_cast<std::int32_t*>(a.y);
    for (std::int64_t r = 0; r < a.rows; ++r)
      for (std::int64_t c = 0; c < kCols; ++c) y[r * kPitch + c] = 2 * x[r * kPitch + c];
  });
  for (Workload& workload : room.request.workloads)
    for (Tensor& tensor : workload.tensors) {
      tensor.dtype = Dtype::I32;
      tensor.values.kind = "integers";
      tensor.values.numbers = {{"lo", lo}, {"hi", hi}};
    }
  for (Parameter& parameter : room.request.task.signature) parameter.dtype = Dtype::I32;
  room.request.task.gate = {.kind = GateKind::Exact, .rms_factor = 0};
}

TEST(BlindMutant, IntegersOfTwoValuesAreRefused) {
  Room two;
  make_integer(two, 5, 6);
  const Admission blind = examine(two);
  EXPECT_EQ(mutant_of(blind, "x modulo 2").fate, MutantFate::Blind);
  EXPECT_THAT(problems(blind), HasSubstr("'x modulo 2'"));
  Room many;
  make_integer(many, -3, 9);
  EXPECT_EQ(mutant_of(examine(many), "x modulo 2").fate, MutantFate::Caught);
}

TEST(NarrowIntegers, AreCaughtWhereTheLostBitsCount) {
  Room large;
  make_integer(large, -70000, 70000);
  const Admission caught = examine(large);
  EXPECT_EQ(mutant_of(caught, "results kept to half of their bits").fate, MutantFate::Caught);
  EXPECT_EQ(mutant_of(caught, "x kept to half of its bits").fate, MutantFate::Caught);
  Room small;
  make_integer(small, -3, 9);
  const Admission same = examine(small);
  EXPECT_EQ(mutant_of(same, "results kept to half of their bits").fate, MutantFate::Inapplicable)
      << "negative numbers keep their sign";
  EXPECT_EQ(mutant_of(same, "x kept to half of its bits").fate, MutantFate::Inapplicable);
}

/// y = `body`(x, alpha, beta), with two scalars behind the small task's arguments.
template <class Body>
void make_scalars(Room& room, double alpha, double beta, Body body) {
  const auto make = [body]<class Real>(Real) -> device::FakeKernel {
    return [body](const std::vector<std::vector<device::FakeArgument>>& sets) {
      for (const auto& set : sets) {
        const Arguments<Real> a(set);
        for (std::int64_t r = 0; r < a.rows; ++r)
          for (std::int64_t c = 0; c < kCols; ++c)
            a.y[r * kPitch + c] =
                body(a.x[r * kPitch + c], set[3].value<Real>(), set[4].value<Real>());
      }
      return device::returned_after(1e6);
    };
  };
  room.world.objects["f64"].kernel = make(double{});
  room.world.objects["native"].kernel = make(float{});
  room.request.task.signature.push_back({"alpha", false, Dtype::F32, TensorRole::In});
  room.request.task.signature.push_back({"beta", false, Dtype::F32, TensorRole::In});
  for (Workload& workload : room.request.workloads) {
    workload.scalars.push_back({.name = "alpha", .dtype = Dtype::F32, .real = alpha});
    workload.scalars.push_back({.name = "beta", .dtype = Dtype::F32, .real = beta});
  }
}

const auto kLine = [](auto x, auto alpha, auto beta) { return alpha * x + beta; };

TEST(SwappedScalars, AreCaughtOrNamed) {
  Room sound;
  make_scalars(sound, 2, 3, kLine);
  const Admission caught = examine(sound);
  EXPECT_EQ(mutant_of(caught, "alpha and beta swapped").fate, MutantFate::Caught);
  EXPECT_TRUE(caught.is_admitted) << problems(caught);
  Room loose;
  make_scalars(loose, 2, 2.0001, kLine);
  loose.request.task.gate = {.kind = GateKind::Relative, .c = 1 << 14, .scale = 8, .rms_factor = 0};
  EXPECT_EQ(mutant_of(examine(loose), "alpha and beta swapped").fate, MutantFate::Passed);
  Room product;
  make_scalars(product, 2, 3, [](auto x, auto alpha, auto beta) { return alpha * beta * x; });
  const Admission either = examine(product);
  EXPECT_EQ(mutant_of(either, "alpha and beta swapped").fate, MutantFate::Inapplicable);
  EXPECT_TRUE(either.is_admitted) << problems(either);
}

TEST(SwappedScalars, OfOneValueAreRefusedUnlessTheyDifferSomewhere) {
  Room room;
  make_scalars(room, 2, 2, kLine);
  EXPECT_THAT(problems(examine(room)),
              HasSubstr("The scalars 'alpha' and 'beta' have the same value in every workload"));
  room.request.task.excused = {
      {.mutant = "alpha and beta swapped", .on = {}, .why = "they mean the same"}};
  EXPECT_THAT(problems(examine(room)), Not(HasSubstr("alpha")));
  room.request.task.excused.clear();
  room.request.workloads.back().scalars.back().real = 3;
  EXPECT_THAT(problems(examine(room)), Not(HasSubstr("alpha")));
}

/// Adds the reference whose loop over rows can be cut; each row takes it `ns_of_row`. Run
/// backwards, its first result is larger by the share `off`.
void add_loops(Room& room, double ns_of_row, double off = 0) {
  room.world.objects["loops"].kernel =
      [=](const std::vector<std::vector<device::FakeArgument>>& sets) {
        double ns = 0;
        for (auto set : sets) {
          const auto cut = set.front().value<std::int32_t>();
          set.erase(set.begin());
          Arguments<double> a(set);
          const std::int32_t all = a.rows;
          if (cut == 1) a.rows = (all + 1) / 2;
          if (cut == 2) a.rows = std::min(all, 40);
          if (cut == 3) a.rows = all - 1;
          testing::twice(a);
          for (std::int64_t c = 0; cut == 4 && c < kCols; ++c) a.y[c] = 0;
          if (cut == 5) a.y[0] += off * a.y[0];
          ns += ns_of_row * a.rows;
        }
        return device::returned_after(ns);
      };
  room.add_unit(kLoopsRole, "loops");
  room.request.units.back().files = {{"reference.cpp", "f();\n// kw-loop 3 r\n"}};
}

TEST(CutLoops, AreCaughtWhereTheAnswerChanges) {
  Room room;
  add_loops(room, 1e6);
  const Admission admission = examine(room);
  EXPECT_EQ(mutant_of(admission, "loop r of line 3 ended after half").fate, MutantFate::Caught);
  EXPECT_EQ(mutant_of(admission, "loop r of line 3 ended after 40").fate, MutantFate::Inapplicable);
  EXPECT_EQ(mutant_of(admission, "loop r of line 3 without its last pass").fate,
            MutantFate::Caught);
  EXPECT_EQ(mutant_of(admission, "loop r of line 3 without its first pass").fate,
            MutantFate::Caught);
  EXPECT_TRUE(admission.is_admitted) << problems(admission);
}

TEST(CutLoops, ThatChangeNoResultAreRefusedWhereTheySaveTime) {
  for (const double ns_of_row : {1e6, 1e3}) {
    Room room;
    add_loops(room, ns_of_row);
    // Only the first half of the rows is compared.
    for (Workload& workload : room.request.workloads)
      workload.tensors[1].compared.front().ranges.front().hi =
          (workload.tensors[1].sizes[0] + 1) / 2;
    const bool is_long = ns_of_row == 1e6;
    const Admission admission = examine(room);
    const MutantResult& half = mutant_of(admission, "loop r of line 3 ended after half");
    EXPECT_EQ(half.fate, is_long ? MutantFate::Blind : MutantFate::Inapplicable);
    EXPECT_EQ(half.note,
              is_long ? "in 50 % of the time" : "the passes that are left out change no result");
    EXPECT_EQ(problems(admission).contains("'loop r of line 3 ended after half'"), is_long);
  }
}

TEST(CutLoops, MayRunBackwardsWhereOnlyRoundingsDiffer) {
  const auto fate_of = [](double off, double gate_scale) {
    Room room;
    add_loops(room, 1e6, off);
    room.request.task.gate.scale = gate_scale;
    room.request.task.gate.rms_factor = 0;
    return mutant_of(examine(room), "loop r of line 3 run backwards").fate;
  };
  EXPECT_EQ(fate_of(1e-9, 1), MutantFate::Inapplicable) << "sums in another order differ so";
  EXPECT_EQ(fate_of(0.1, 1), MutantFate::Caught);
  EXPECT_EQ(fate_of(0.1, 0.2 * 0x1p24), MutantFate::Passed)
      << "a loose gate accepts what no other order explains";
}

TEST(CutLoops, AreNotTriedWithAReferenceThatTheyChangedAsAWhole) {
  Room room;
  add_loops(room, 1e6);
  room.world.objects["loops"].kernel = [](const auto&) { return device::returned_after(1e6); };
  const Admission admission = examine(room);
  const MutantResult& half = mutant_of(admission, "loop r of line 3 ended after half");
  EXPECT_EQ(half.fate, MutantFate::Inapplicable);
  EXPECT_EQ(half.note, "the reference with loops that can be cut gives another answer");
}

}  // namespace
}  // namespace kw::referee
