// Tests of the values of tensors as task.yaml and shapes.yaml give them: formulas, and which
// combinations are refused.
// SPDX-License-Identifier: Apache-2.0
#include "task/values.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "base/error_for_test.h"
#include "task/load.h"
#include "task/resolve.h"

namespace kw::task::drawn {
namespace {

constexpr std::int64_t kPlenty = std::int64_t{1} << 40;

/// A task whose tensor `x` has the given type, shape and values.
std::string gathering(const std::string& dtype, const std::string& shape,
                      const std::string& values) {
  return "name: gather\ndims: [n, vocab]\ntensors:\n  x: { dtype: " + dtype + ", shape: " + shape +
         ", role: in,\n    values: " + values + R"( }
  y: { dtype: f32, shape: [n], role: out }
gate: { kind: relative, c: 4 }
work:
  floor: { bytes: "1", flops: "1" }
  nominal: { read_bytes: "1", write_bytes: "1", flops: "1", items: "1" }
)";
}

TaskFiles files(const std::string& task, const std::string& more = "") {
  return {"tasks/gather",
          {{"task.yaml", task},
           {"shapes.yaml", "check: [ { name: prime, n: 7, vocab: 300" + more +
                               " } ]\ntime: [ { name: large, n: 70, vocab: 5000 } ]\n"},
           {"reference.cpp", "template <class Real> void reference(int n) {}\n"}},
          {}};
}

/// The values of `x` in the workloads in order.
std::vector<Values> values_of(const TaskFiles& task) {
  const auto definition = parse_task(task);
  EXPECT_TRUE(definition.has_value()) << describe(definition.error());
  std::vector<Values> all;
  if (!definition) return all;
  const auto resolved = resolve(*definition, Target::Cpu, kPlenty);
  EXPECT_TRUE(resolved.has_value());
  for (const Workload& workload : resolved->workloads) all.push_back(workload.tensors[0].values);
  return all;
}

std::string error_of(const TaskFiles& task) {
  const auto definition = parse_task(task);
  return definition ? "fine" : place_and_about(definition.error());
}

TEST(ValuesOfTasks, NumbersMayBeFormulasOverDims) {
  const auto all =
      values_of(files(gathering("i32", "[n]", "{ kind: integers, lo: 0, hi: \"vocab - 1\" }")));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].numbers.at("lo"), 0);
  EXPECT_EQ(all[0].numbers.at("hi"), 299);
  EXPECT_EQ(all[1].numbers.at("hi"), 4999);
}

TEST(ValuesOfTasks, FormulasOfAWorkloadReplaceThoseOfTheTask) {
  const auto all =
      values_of(files(gathering("i32", "[n]", "{ kind: integers, lo: 0, hi: vocab - 1 }"),
                      ", values: { x: { kind: integers, lo: n, hi: n * n } }"));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].numbers.at("lo"), 7);
  EXPECT_EQ(all[0].numbers.at("hi"), 49);
  EXPECT_EQ(all[1].numbers.at("hi"), 4999);
}

TEST(ValuesOfTasks, IntegersOfIntegerTensorsReachBeyondWhatAFloatHolds) {
  const auto all = values_of(
      files(gathering("i64", "[n]", "{ kind: integers, lo: 0, hi: vocab * 1000000000 }")));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].numbers.at("hi"), 5e12);
  EXPECT_EQ(error_of(files(gathering("f32", "[n]", "{ kind: integers, lo: 0, hi: 16777217 }"))),
            "tasks/gather/task.yaml:5:42 hi: 16777217");
}

TEST(ValuesOfTasks, WhatIsWrongWithAFormulaHasItsPlace) {
  const auto says = [](const std::string& values, const std::string& about) {
    const std::string error = error_of(files(gathering("i32", "[n]", values)));
    EXPECT_TRUE(error.starts_with("tasks/gather/task.yaml:" + about)) << values << "\n" << error;
  };
  says("{ kind: integers, lo: 0, hi: vocap - 1 }", "5:42 hi: ");
  says("{ kind: integers, lo: 0, hi: vocab - }", "5:");
  says("{ kind: integers, lo: 0, hi: [1] }", "5:42 hi: ");
  says("{ kind: integers, lo: vocab, hi: n }", "5:13 prime: x: lo above hi");
  says("{ kind: integers, lo: 0, hi: vocab / (n - 7) }", "5:42 prime: hi: ");
  says("{ kind: integers, lo: 0, hi: vocab * 10000000 }", "5:42 prime: x: hi: ");
}

TEST(ValuesOfTasks, OffsetsHaveACountPerWorkload) {
  const auto all = values_of(files(gathering("i64", "[n]", "{ kind: offsets, count: vocab * 3 }")));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].count, std::vector<std::int64_t>{900});
  EXPECT_EQ(all[1].count, std::vector<std::int64_t>{15'000});
}

TEST(ValuesOfTasks, KindsWithAStructureTakeTheTensorsThatCanHoldThem) {
  const auto says = [](const std::string& dtype, const std::string& shape,
                       const std::string& values, const std::string& about) {
    const std::string error = error_of(files(gathering(dtype, shape, values)));
    EXPECT_TRUE(error.starts_with(about)) << values << "\n" << error;
  };
  const std::string place = "tasks/gather/task.yaml:5:";
  says("i32", "[n]", "{ kind: permutation }", "fine");
  says("f32", "[n, vocab]", "{ kind: one_hot }", "fine");
  says("u8", "[n, vocab]", "{ kind: permutation, whole: 1 }", place + "13 prime: x: permutation");
  says("f32", "[n]", "{ kind: permutation }", place + "21 kind: permutation of f32");
  says("i32", "[n]", "{ kind: offsets }", place + "13 values of kind 'offsets': lacks count");
  says("u8", "[n]", "{ kind: offsets, count: vocab }", place + "13 prime: x: offsets");
  says("i32", "[n]", "{ kind: offsets, count: n - 7 }", place + "37 prime: count");
  says("f32", "[n]", "{ kind: sorted, lo: 0, hi: vocab }", "fine");
  says("i32", "[n, n]", "{ kind: spd }", place + "21 kind: spd of i32");
  says("f32", "[n, vocab]", "{ kind: spd }", place + "13 prime: x: spd");
  says("f32", "[vocab, n, n]", "{ kind: triangular, upper: 1 }", "fine");
  says("f32", "[n]", "{ kind: dominant }", place + "13 prime: x: dominant");
  says("f32", "[n]", "{ kind: special, nonfinite: 1 }", "fine");
  says("f32", "[n]", "{ kind: special, nonfinite: 2 }", place + "41 nonfinite: 2");
}

}  // namespace
}  // namespace kw::task::drawn
