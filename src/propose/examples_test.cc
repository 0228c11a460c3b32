// Tests of which kernels of the playbook a prompt shows beside each other.
// SPDX-License-Identifier: Apache-2.0
#include "propose/examples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "memory/shipped_task.h"
#include "task/header.h"
#include "task/load.h"

namespace kw::propose {
namespace {

using testing::HasSubstr;
using testing::Not;

Task shipped_task(const std::string& name) {
  const auto data = memory::DataFiles::open(std::nullopt);
  auto definition = task::parse_task(*memory::shipped_task(*data, name));
  EXPECT_TRUE(definition.has_value()) << name;
  return std::move(definition->task);
}

std::vector<Example> examples_of(const Task& task, Target target) {
  const auto data = memory::DataFiles::open(std::nullopt);
  auto examples = select_examples(*data, task, {.target = target, .has_dialect_headers = false});
  EXPECT_TRUE(examples.has_value());
  return std::move(*examples);
}

TEST(ExamplesBeside, TwoThatAreNearlyTheSameAreNotShown) {
  for (const char* name : {"softmax", "layernorm", "relu", "saxpy"})
    for (const Target target : {Target::Cpu, Target::Cuda}) {
      const auto examples = examples_of(shipped_task(name), target);
      const std::vector<std::string> streamed = {"gelu", "relu", "saxpy", "softsign", "swish"};
      int count = 0;
      for (const Example& example : examples)
        for (const std::string& other : streamed)
          count += example.title.contains("task `" + other + "`") ? 1 : 0;
      EXPECT_LE(count, 1) << name;
      const bool has_both = examples.size() == 2 && examples[0].title.contains("norm_padded`") &&
                            examples[1].title.contains("norm_padded`");
      EXPECT_FALSE(has_both) << name << ": rmsnorm and layernorm share most of their lines";
    }
}

TEST(ExamplesBeside, AKernelOfAnotherFamilyIsShownWhereItServesTheTask) {
  for (const Target target : {Target::Cpu, Target::Cuda}) {
    for (const char* name : {"conv2d", "attention"}) {
      const auto examples = examples_of(shipped_task(name), target);
      ASSERT_EQ(examples.size(), 1U) << name;
      EXPECT_THAT(examples[0].title, HasSubstr("task `matmul_padded`"));
    }
    const auto sums = examples_of(shipped_task("scan"), target);
    ASSERT_EQ(sums.size(), 1U);
    EXPECT_THAT(sums[0].title, HasSubstr("reduction"));
  }
}

TEST(ExamplesBeside, NoKernelIsBetterThanOneThatDoesNotTransfer) {
  for (const char* name : {"transpose", "histogram", "fctd3d", "reduce_sum"})
    for (const Target target : {Target::Cpu, Target::Cuda})
      EXPECT_TRUE(examples_of(shipped_task(name), target).empty()) << name;
  EXPECT_TRUE(examples_of(shipped_task("matmul_bf16"), Target::Cuda).empty())
      << "neither attention nor products of another type";
}

TEST(ExamplesBeside, OneFamilyIsNotShownBesideAnother) {
  for (const char* name : {"softmax", "layernorm", "rmsnorm", "relu"})
    for (const Target target : {Target::Cpu, Target::Cuda}) {
      const Task task = shipped_task(name);
      for (const Example& example : examples_of(task, target))
        EXPECT_THAT(example.title, HasSubstr("(" + task.family)) << name;
    }
  Task product = shipped_task("matmul");
  product.name = "product";
  for (const Target target : {Target::Cpu, Target::Cuda})
    for (const Example& example : examples_of(product, target))
      EXPECT_THAT(example.title, HasSubstr("(matmul"))
          << "convolution shows no more than a product";
}

// A second kernel is shown for a technique that the first one does not have.
TEST(ExamplesBeside, EachNamesATechniqueOfItsOwn) {
  const auto data = memory::DataFiles::open(std::nullopt);
  for (const std::string& name : data->folders("tasks"))
    for (const Target target : {Target::Cpu, Target::Cuda}) {
      const auto examples = examples_of(shipped_task(name), target);
      if (examples.size() < 2) continue;
      std::vector<std::set<std::string>> named;
      for (const Example& example : examples) {
        const auto header = task::parse_header(example.source, "kernel", target);
        ASSERT_TRUE(header.has_value());
        named.emplace_back(header->techniques.begin(), header->techniques.end());
      }
      EXPECT_FALSE(std::ranges::includes(named[0], named[1])) << name << ": " << examples[1].title;
    }
}

// Kernels of a time loop count on planes of halo and on levels that a single sweep lacks.
TEST(ExamplesBeside, ASingleSweepSeesNoKernelOfATimeLoop) {
  Task sweep = shipped_task("fctd3d");
  sweep.name = "jacobi";
  for (const Target target : {Target::Cpu, Target::Cuda}) {
    EXPECT_THAT(examples_of(sweep, target), testing::Not(testing::IsEmpty()));
    Task task = sweep;
    for (Parameter& p : task.signature)
      if (p.role == TensorRole::InOut) p.role = TensorRole::Out;
    for (const Example& example : examples_of(task, target))
      EXPECT_THAT(example.title, Not(HasSubstr("fctd3d")));
  }
}

TEST(ExamplesBeside, AGapBetweenRowsIsNamedWhereTheTaskHasNone) {
  const auto contiguous = examples_of(shipped_task("softmax"), Target::Cuda);
  ASSERT_FALSE(contiguous.empty());
  EXPECT_THAT(contiguous[0].title, HasSubstr("there rows may have gaps between them"));
  const auto padded = examples_of(shipped_task("softmax_padded"), Target::Cuda);
  ASSERT_FALSE(padded.empty());
  EXPECT_THAT(padded[0].title, Not(HasSubstr("gaps")));
}

}  // namespace
}  // namespace kw::propose
