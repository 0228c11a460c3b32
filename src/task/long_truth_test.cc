// Tests of the code that computes a truth in long double.
// SPDX-License-Identifier: Apache-2.0
#include "task/long_truth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "task/units.h"

namespace kw::task {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// y becomes sums of x by index, at a scalar a.
Definition sums(Dtype output) {
  Definition definition;
  definition.reference = "template <class Real> void reference(...);\n";
  Task& task = definition.task;
  task.gate.kind = GateKind::Dot;
  task.has_magnitude = true;
  task.signature = {{"n", false, Dtype::I32, TensorRole::In},
                    {"a", false, Dtype::F64, TensorRole::In},
                    {"x", true, output, TensorRole::In},
                    {"at", true, Dtype::I32, TensorRole::In},
                    {"y", true, output, TensorRole::Out}};
  return definition;
}

TEST(LongTruth, IsThatOfFloat64Results) {
  Task task = sums(Dtype::F64).task;
  EXPECT_TRUE(has_long_truth(task));
  task.gate.kind = GateKind::Exact;
  EXPECT_FALSE(has_long_truth(task)) << "its bits are those of double";
  EXPECT_FALSE(has_long_truth(sums(Dtype::F32).task));
  EXPECT_FALSE(has_long_truth(sums(Dtype::I64).task));
  task = sums(Dtype::F64).task;
  task.signature.back().dtype = Dtype::I32;
  EXPECT_FALSE(has_long_truth(task)) << "no output is real";
}

TEST(LongTruth, WidensRealTensorsAndRoundsTheOutputs) {
  const auto units = reference_units(sums(Dtype::F64));
  ASSERT_EQ(units.size(), 3u);
  EXPECT_EQ(units[0].role, "reference_f64");
  const std::string& text = units[0].files[0].text;
  EXPECT_THAT(text, AllOf(HasSubstr("KwWidened kw_x(x, kw_extent_x);"),
                          HasSubstr("reference<long double>(n, a, kw_x.data(), at, kw_y.data());"),
                          HasSubstr("kw_y.round_to(y);"), Not(HasSubstr("kw_x.round_to"))));
  EXPECT_THAT(text, HasSubstr("*static_cast<double**>(args[4]),\n      "
                              "*static_cast<int64_t*>(args[5])"))
      << "extents follow the signature";
  EXPECT_THAT(text, HasSubstr("#ifdef KW_TRUTH_IN_DOUBLE\n  reference<double>(n, a, x, at, y);"));
  for (const std::size_t i : {1, 2})
    EXPECT_THAT(units[i].files[0].text, AllOf(HasSubstr("<double>("), Not(HasSubstr("long"))))
        << units[i].role;
}

TEST(LongTruth, TakesTheExtentOfEachTensor) {
  const Task task = with_extents(sums(Dtype::F64).task);
  std::vector<std::string> names;
  for (const Parameter& p : task.signature) names.push_back(p.name);
  EXPECT_THAT(names,
              ElementsAre("n", "a", "x", "at", "y", "kw_extent_x", "kw_extent_at", "kw_extent_y"));
}

TEST(LongTruth, FindsWhereAReferenceNamesDouble) {
  Definition definition = sums(Dtype::F64);
  EXPECT_EQ(line_of_double(definition), std::nullopt);
  definition.reference =
      "// double\ntemplate <class Real> void reference(long double x,\n  Real y);\n";
  EXPECT_EQ(line_of_double(definition), std::nullopt);
  definition.reference += "void help(\n  double z);\n";
  EXPECT_EQ(line_of_double(definition), 5);
  definition.task = sums(Dtype::F32).task;
  EXPECT_EQ(line_of_double(definition), std::nullopt);
}

}  // namespace
}  // namespace kw::task
