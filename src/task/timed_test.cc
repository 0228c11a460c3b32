// Tests of the section `timed` of task.yaml: which values timed workloads contain, and which
// results count as exact.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/error_for_test.h"

#include <string>

#include "task/load.h"
#include "task/resolve.h"

namespace kw::task::timed_inputs {
namespace {

constexpr std::int64_t kPlenty = std::int64_t{1} << 40;

std::string product(const std::string& timed, const std::string& gate = "dot, c: 4, k: k",
                    const std::string& dtype = "f32") {
  return R"(name: product
dims: [m, n, k]
tensors:
  a: { dtype: )" +
         dtype + R"(, shape: [m, k], role: in }
  b: { dtype: )" +
         dtype + R"(, shape: [k, n], role: in }
  c: { dtype: )" +
         dtype + R"(, shape: [m, n], role: out }
gate: { kind: )" +
         gate + R"( }
)" + timed +
         R"(
work:
  floor: { bytes: "1", flops: "1" }
  nominal: { read_bytes: "1", write_bytes: "1", flops: "1", items: "1" }
)";
}

const std::string kShapes = R"(check: [ { name: prime, m: 7, n: 5, k: 300 } ]
time:
  - { name: large, m: 70, n: 50, k: 300 }
  - { name: middle, m: 70, n: 50, k: 100 }
  - { name: short, m: 70, n: 50, k: 10 }
  - { name: own, m: 70, n: 50, k: 300, values: { b: { kind: constant, value: 2 } } }
)";

TaskFiles files(const std::string& task) {
  return {"tasks/product",
          {{"task.yaml", task},
           {"shapes.yaml", kShapes},
           {"reference.cpp",
            "template <class Real> void reference(int m) {}\n"
            "template <class Real> void magnitude(int m) {}\n"}},
          {}};
}

std::string error_of(const std::string& task) {
  const auto definition = parse_task(files(task));
  return definition ? "fine" : place_and_about(definition.error());
}

std::vector<Workload> workloads_of(const std::string& task) {
  const auto definition = parse_task(files(task));
  EXPECT_TRUE(definition.has_value()) << describe(definition.error());
  return resolve(*definition, Target::Cpu, kPlenty).value().workloads;
}

const std::string kGrids =
    "timed: { values: { a: { kind: grid, over: 1 }, b: { kind: grid, over: 0 } }, exact: planted }";

TEST(Timed, ValuesAreThoseOfTimedWorkloadsAlone) {
  const auto all = workloads_of(product(kGrids));
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[0].tensors[0].values.kind, "normal");
  EXPECT_LT(all[0].exact_below, 0);
  EXPECT_EQ(all[1].tensors[0].values.kind, "grid");
  EXPECT_EQ(all[1].tensors[0].values.numbers.at("over"), 1);
  EXPECT_EQ(all[1].tensors[1].values.numbers.at("over"), 0);
}

TEST(Timed, PlantedSumsAreToldFromOthersByTheirMagnitude) {
  const auto all = workloads_of(product(kGrids));
  EXPECT_EQ(all[1].exact_below, 8);
  EXPECT_EQ(all[2].exact_below, 100.0 / 16);
  EXPECT_LT(all[3].exact_below, 0) << "sums of ten terms may be as small as planted ones";
  EXPECT_EQ(all[4].tensors[0].values.kind, "grid");
  EXPECT_EQ(all[4].tensors[1].values.kind, "constant") << "what a workload says comes first";
  EXPECT_LT(all[4].exact_below, 0) << "and nothing is known of its sums";
}

TEST(Timed, ExactMayBeEverythingOrALooserOne) {
  const auto all = workloads_of(
      product("timed: { values: { a: { kind: counted, over: 1 } }, exact: all, within: 2 }"));
  EXPECT_GT(all[1].exact_below, 1e100);
  EXPECT_EQ(all[1].exact_within, 2);
  EXPECT_LT(workloads_of(product("timed: { values: { a: { kind: grid } } }"))[1].exact_below, 0);
}

TEST(Timed, WhatIsWrongHasItsPlace) {
  const auto says = [](const std::string& timed, const std::string& about,
                       const std::string& gate = "dot, c: 4, k: k",
                       const std::string& dtype = "f32") {
    const std::string error = error_of(product(timed, gate, dtype));
    EXPECT_NE(error.find(about), std::string::npos) << error;
  };
  says("timed: { vales: {} }", "task.yaml:8:10 timed: unknown vales -> values");
  says("timed: { exact: all }", "task.yaml:8:8 timed: lacks values");
  says("timed: { values: { d: { kind: grid } } }", "8:20 tensor d");
  says("timed: { values: { c: { kind: grid } } }", "8:20 c: values");
  says("timed: { values: { a: { kind: grid, ovr: 1 } } }",
       "8:37 values of kind 'grid': unknown ovr -> over");
  says("timed: { values: { a: { kind: counted, over: 2 } } }", "8:23 large: over: axes of a");
  says("timed: { values: { a: { kind: grid } }, exact: planed }", "8:48 exact: planed -> planted");
  says("timed: { values: { a: { kind: grid } }, within: 2 }", "8:49 within: exact");
  says("timed: { values: { a: { kind: grid } }, exact: planted }", "8:48 exact: planted",
       "relative, c: 4");
  says("timed: { values: { a: { kind: grid } }, exact: all }", "8:48 exact: all", "exact");
  says("timed: { values: { a: { kind: counted } } }", "8:31 kind: counted of f16",
       "dot, c: 4, k: k", "f16");
}

}  // namespace
}  // namespace kw::task::timed_inputs
