// Each kind of mutant passes a gate that is too loose for it, and admission then refuses the task.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "base/text.h"
#include "referee/admission_for_test.h"
#include "referee/gpu_room_for_test.h"
#include "referee/testing.h"

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

/// A function of one row; `weight` is the weight of the row's last element.
template <class Real>
using Row = void (*)(const Real* x, Real* y, Real weight);

template <class Real>
void scan(const Real* x, Real* y, Real weight) {
  Real sum = 0;
  for (std::int64_t c = 0; c < kCols; ++c) y[c] = sum += (c + 1 < kCols ? 1 : weight) * x[c];
}

/// Divides every element by the sum of its row.
template <class Real>
void normalise(const Real* x, Real* y, Real weight) {
  Real sum = 50;
  for (std::int64_t c = 0; c < kCols; ++c) sum += (c + 1 < kCols ? 1 : weight) * x[c];
  for (std::int64_t c = 0; c < kCols; ++c) y[c] = 50 * x[c] / sum;
}

template <class Real>
void elementwise(const Real* x, Real* y, Real weight) {
  for (std::int64_t c = 0; c < kCols; ++c) y[c] = (c + 1 < kCols ? 1 : weight) * x[c];
}

/// A task of rows. `weight` is that of the last element of each row, `row_weight` that of the last
/// row.
struct RowTask {
  Row<double> f64;
  Row<float> native;
  double weight = 1;
  double row_weight = 1;

  template <class Real>
  static void run(const Arguments<Real>& a, Row<Real> row, Real weight, Real row_weight) {
    for (std::int64_t r = 0; r < a.rows; ++r) {
      row(a.x + r * kPitch, a.y + r * kPitch, weight);
      if (r + 1 == a.rows)
        for (std::int64_t c = 0; c < kCols; ++c) a.y[r * kPitch + c] *= row_weight;
    }
  }
  void put_into(Room& room) const {
    room.world.objects["f64"].kernel = kernel<double>(
        1e6, [*this](const Arguments<double>& a) { run<double>(a, f64, weight, row_weight); });
    room.world.objects["native"].kernel = kernel<float>(1e6, [*this](const Arguments<float>& a) {
      run<float>(a, native, static_cast<float>(weight), static_cast<float>(row_weight));
    });
    room.request.task.gate = {.kind = GateKind::Relative, .c = 16, .scale = 1, .rms_factor = 0};
  }
};

TEST(MutantTrial, EveryMutantOfASoundTaskIsCaughtOrDoesNotApply) {
  for (const RowTask& task :
       {RowTask{scan<double>, scan<float>}, RowTask{normalise<double>, normalise<float>},
        RowTask{elementwise<double>, elementwise<float>}}) {
    Room room;
    task.put_into(room);
    const Admission admission = examine(room);
    EXPECT_TRUE(admission.is_admitted) << problems(admission);
    EXPECT_GE(admission.mutants.size(), 20u);
    for (const MutantResult& mutant : admission.mutants) {
      EXPECT_EQ(mutant.workload, "large");
      if (mutant.fate == MutantFate::Inapplicable) {
        EXPECT_THAT(mutant.name, HasSubstr("its own results right"));
        EXPECT_EQ(mutant.note, "nothing else depends on it");
      } else {
        EXPECT_EQ(mutant.fate, MutantFate::Caught) << mutant.name;
        EXPECT_GT(mutant.gate_fraction, 1) << mutant.name;
      }
    }
  }
}

struct Hole {
  const char* name;
  RowTask task;
  std::function<void(EvaluationRequest&)> loosen;
  std::vector<std::string> mutants;  ///< The mutants that pass.
};

void as_it_is(EvaluationRequest&) {}

void loosen_by(EvaluationRequest& request, double c) { request.task.gate.c = c; }

// Weight of a row's last element. In each input set, what the element adds is above the rounding of
// a float and below the 16 units that the gate allows.
constexpr double kHardly = 2e-7;

const Hole kHoles[] = {
    {"ALastTermThatIsTooSmall",
     {scan<double>, scan<float>, kHardly},
     as_it_is,
     {"last column of x dropped", "exclusive for inclusive in the last element"}},
    {"AnElementThatIsTooSmall",
     {elementwise<double>, elementwise<float>, kHardly},
     as_it_is,
     {"last column zero", "last element zero"}},
    {"ARowThatIsTooSmall",
     {elementwise<double>, elementwise<float>, 1, kHardly},
     as_it_is,
     {"last row zero", "last row of x dropped"}},
    {"SumsThatMayLackOneOfAThousand",
     {normalise<double>, normalise<float>},
     [](EvaluationRequest& request) { loosen_by(request, 1 << 22); },
     {"last column of x dropped, its own results right",
      "one element of x dropped, its own results right",
      "one in 2^6 of x dropped, its own results right"}},
    {"ShortFactors8",
     {scan<double>, scan<float>},
     [](EvaluationRequest& request) { loosen_by(request, 1 << 19); },
     {"x rounded to 8 bits", "x rounded to 11 bits", "x rounded to 16 bits"}},
    {"ShortFactors16",
     {scan<double>, scan<float>},
     [](EvaluationRequest& request) { loosen_by(request, 1 << 12); },
     {"x rounded to 16 bits"}},
    {"WhatWasThereBefore",
     {elementwise<double>, elementwise<float>},
     [](EvaluationRequest& request) { request.task.gate.scale = 1e60; },
     {"last element unwritten", "last row unwritten", "last column unwritten",
      "last tile unwritten", "last tile zero", "last tile of x dropped",
      "exclusive for inclusive everywhere", "exclusive for inclusive in the second half",
      "inclusive for exclusive everywhere", "inclusive for exclusive in the second half",
      "one in 2^6 of x dropped", "one element of x dropped"}},
};

class MutantHole : public ::testing::TestWithParam<Hole> {};

TEST_P(MutantHole, IsFoundAndNamed) {
  Room room;
  GetParam().task.put_into(room);
  GetParam().loosen(room.request);
  const Admission admission = examine(room);
  EXPECT_FALSE(admission.is_admitted);
  for (const std::string& name : GetParam().mutants) {
    EXPECT_EQ(mutant_of(admission, name).fate, MutantFate::Passed) << name;
    EXPECT_THAT(problems(admission),
                HasSubstr("The wrong answer '" + name +
                          "' (a mutant) is taken for correct on the timed workload 'large' with"));
  }
}

INSTANTIATE_TEST_SUITE_P(OfEachKind, MutantHole, ::testing::ValuesIn(kHoles),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(MutantTrial, AnExcuseAdmitsWhatItNamesAndNothingElse) {
  Room room;
  RowTask{scan<double>, scan<float>, kHardly}.put_into(room);
  room.request.task.excused = {
      {.mutant = "last * of x dropped*", .on = {}, .why = "it hardly counts"},
      {.mutant = "exclusive*", .on = {"another"}, .why = "elsewhere"}};
  const Admission admission = examine(room);
  const MutantResult& excused = mutant_of(admission, "last column of x dropped");
  EXPECT_EQ(excused.fate, MutantFate::Excused);
  EXPECT_EQ(excused.note, "it hardly counts");
  EXPECT_EQ(mutant_of(admission, "last row of x dropped").fate, MutantFate::Caught);
  EXPECT_FALSE(admission.is_admitted);
  EXPECT_THAT(problems(admission), HasSubstr("'exclusive for inclusive in the last element'"));
  EXPECT_THAT(problems(admission), Not(HasSubstr("of x dropped")));
  room.request.task.excused.back().on = {"large"};
  const Admission again = examine(room);
  EXPECT_TRUE(again.is_admitted) << problems(again);
}

TEST(MutantTrial, DropsTheLeastThatAnythingDependsOn) {
  Room room;
  // The answer does not depend on the last three columns.
  const auto most = [](const auto& a) {
    for (std::int64_t r = 0; r < a.rows; ++r)
      for (std::int64_t c = 0; c < kCols; ++c)
        a.y[r * kPitch + c] = a.x[r * kPitch + (c < kCols - 3 ? c : 0)];
  };
  room.world.objects["f64"].kernel = kernel<double>(1e6, most);
  room.world.objects["native"].kernel = kernel<float>(1e6, most);
  const Admission admission = examine(room);
  EXPECT_TRUE(admission.is_admitted) << problems(admission);
  const MutantResult& column = mutant_of(admission, "last column of x dropped");
  EXPECT_EQ(column.fate, MutantFate::Caught);
  EXPECT_EQ(column.note, "the last 4 elements were changed; fewer change no result");
}

TEST(MutantTrial, TriesInputSetsUntilOneShowsTheMutant) {
  Room room;
  // The last column counts only in the few input sets whose first element is large.
  const auto seldom = [](const auto& a) {
    for (std::int64_t r = 0; r < a.rows; ++r) {
      const auto weight = a.x[0] > 1 ? 1.0 : 1e-7;
      for (std::int64_t c = 0; c < kCols; ++c)
        a.y[r * kPitch + c] = static_cast<std::remove_reference_t<decltype(a.y[0])>>(
            2 * a.x[r * kPitch + c] + weight * a.x[r * kPitch + kCols - 1]);
    }
  };
  room.world.objects["f64"].kernel = kernel<double>(1e6, seldom);
  room.world.objects["native"].kernel = kernel<float>(1e6, seldom);
  room.request.task.gate = {.kind = GateKind::Relative, .c = 16, .scale = 1, .rms_factor = 0};
  const Admission admission = examine(room);
  EXPECT_TRUE(admission.is_admitted) << problems(admission);
  const MutantResult& column =
      mutant_of(admission, "last column of x dropped, its own results right");
  EXPECT_EQ(column.fate, MutantFate::Caught);
  EXPECT_GT(column.sets, 1);
}

TEST(MutantTrial, AReferenceThatFailsOnAMutantsInputsGivesNoAnswerToJudge) {
  Room room;
  room.world.objects["f64"].kernel =
      [](const std::vector<std::vector<device::FakeArgument>>& sets) {
        const Arguments<double> a(sets.at(0));
        if (a.x[(a.rows - 1) * kPitch + kCols - 1] == 0)
          return device::CallResult{.fate = device::Fate::Crashed, .signal = 8};
        testing::twice(a);
        return device::returned_after(1e6);
      };
  const Admission admission = examine(room);
  const MutantResult& row = mutant_of(admission, "last row of x dropped");
  EXPECT_EQ(row.fate, MutantFate::Inapplicable);
  EXPECT_THAT(row.note, HasSubstr("the reference of task 'twice'"));
  EXPECT_EQ(mutant_of(admission, "one in 2^6 of x dropped").fate, MutantFate::Caught)
      << "the process that crashed was replaced";
}

TEST(MutantTrial, SaysWhatWasLeftWhenTheTimeWasSpent) {
  Room room;
  const Admission admission = examine(room, 1);
  ASSERT_EQ(admission.unexamined.size(), room.request.workloads.size());
  EXPECT_THAT(admission.unexamined.front().reason, HasSubstr("the time limit was reached"));
  EXPECT_TRUE(admission.mutants.empty());
  EXPECT_FALSE(admission.is_admitted);
  EXPECT_THAT(problems(admission), HasSubstr("give more with '--time'"));
}

TEST(MutantTrial, OfAGpusLargeWorkloadsRunsOnTheDevice) {
  testing::GpuRoom room;
  room.add_fast([](const Arguments<double>& a) { testing::twice(a); });
  const auto admission =
      admit(*room.device, room.host.get(), room.request, {.timeout_ns = 1'000'000'000});
  ASSERT_TRUE(admission) << describe(admission.error());
  EXPECT_TRUE(admission->is_admitted) << problems(*admission);
  EXPECT_TRUE(admission->unexamined.empty());
  EXPECT_EQ(mutant_of(*admission, "last column of x dropped").workload, "large");
  EXPECT_EQ(mutant_of(*admission, "last column of x dropped").fate, MutantFate::Caught);
  EXPECT_GE(std::ranges::count(room.world.log, "call reference"), 15)
      << "the host is too slow for it";
}

TEST(MutantTrial, OfAGpusLargeWorkloadsFindsHolesToo) {
  testing::GpuRoom room;
  room.add_fast([](const Arguments<double>& a) { testing::twice(a); });
  room.request.task.gate.c = 1 << 9;
  room.request.task.gate.rms_factor = 0;
  const auto admission =
      admit(*room.device, room.host.get(), room.request, {.timeout_ns = 1'000'000'000});
  ASSERT_TRUE(admission) << describe(admission.error());
  EXPECT_THAT(problems(*admission),
              HasSubstr("The wrong answer 'x rounded to 16 bits' (a mutant)"));
}

}  // namespace
}  // namespace kw::referee
