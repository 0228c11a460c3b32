// Tests of size classes: what they describe, and that they do not reveal the timed shapes.
// SPDX-License-Identifier: Apache-2.0
#include "propose/size_class.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "memory/shipped_task.h"
#include "propose/test_situation.h"
#include "task/resolve.h"

namespace kw::propose {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A timed workload of the test task with the given sizes.
Workload timed_at(const task::Definition& task, std::int64_t rows, std::int64_t cols,
                  std::int64_t pad) {
  task::WorkloadSpec spec;
  spec.name = "sized";
  spec.group = Group::Time;
  spec.dims = {{"rows", rows}, {"cols", cols}, {"pad", pad}};
  auto workload = task::resolve(task, spec);
  EXPECT_TRUE(workload.has_value()) << describe(workload.error());
  return std::move(*workload);
}

std::vector<std::string> classes_at(std::int64_t rows, std::int64_t cols, std::int64_t pad) {
  const task::Definition task = test_task();
  const std::vector<Workload> workloads{timed_at(task, rows, cols, pad)};
  return describe_size_classes(task, workloads);
}

TEST(SizeClass, TellsBytesAndSizesByPowersOfTen) {
  EXPECT_THAT(
      classes_at(3001, 3011, 0),
      ElementsAre("One call: tensors of 10 MB to 100 MB in all; `rows` 10^3 to 10^4; `cols` 10^3 "
                  "to 10^4; rows begin at any element."));
  EXPECT_THAT(
      classes_at(7, 40, 0),
      ElementsAre("One call: tensors of 1 kB to 10 kB in all; `rows` below 10; `cols` 10^1 to "
                  "10^2; every row begins at a multiple of sixteen bytes."));
}

TEST(SizeClass, ShapesOfOneClassCannotBeToldApart) {
  const auto one = classes_at(3001, 3011, 0);
  for (const auto& [rows, cols, pad] :
       {std::tuple{3002, 3011, 0}, {3001, 3010, 0}, {2048, 2049, 0}, {3900, 2500, 6}})
    EXPECT_EQ(classes_at(rows, cols, pad), one) << rows << " x " << cols;
  EXPECT_NE(classes_at(30010, 3011, 0), one);
}

// One row has the words of several rows, and short rows have none: the words would tell sizes that
// the class leaves open.
TEST(SizeClass, WordsOnRowsRevealNoSize) {
  EXPECT_EQ(classes_at(1, 3012, 0), classes_at(3, 3012, 0));
  EXPECT_EQ(classes_at(3001, 8, 0), classes_at(3001, 7, 0));
}

std::vector<std::string> classes_of(const char* name, Target target) {
  const auto data = memory::DataFiles::open(std::nullopt);
  const auto definition = task::parse_task(*memory::shipped_task(*data, name));
  const auto resolved = task::resolve(*definition, target, std::int64_t{1} << 50);
  return describe_size_classes(*definition, resolved->workloads);
}

TEST(SizeClass, TellsWhichValuesAreTimedWhereWorkloadsSetThem) {
  EXPECT_THAT(
      classes_of("histogram", Target::Cuda),
      ElementsAre("One call: tensors of 1 GB to 10 GB in all; `n` 10^9 to 2^31; `x` holds "
                  "integers, all equally frequent.",
                  "One call: tensors of 1 GB to 10 GB in all; `n` 10^9 to 2^31; `x` holds few "
                  "distinct values."));
}

// They decide which algorithm applies, as a matrix does that can be factorised without pivots.
TEST(SizeClass, ValuesWithAStructureAreToldByIt) {
  for (const auto& [kind, words] : std::vector<std::pair<std::string, std::string>>{
           {"offsets", "offsets of rows that differ a lot in length, many of them empty"},
           {"permutation", "indices, each once and in any order"},
           {"sorted", "sorted values, some of them equal"},
           {"spd", "symmetric and positive definite matrices"},
           {"dominant", "matrices with a dominant diagonal"},
           {"triangular", "triangular matrices with a dominant diagonal"},
           {"special", "normally distributed numbers and some special ones, such as denormals"}}) {
    task::Definition task = test_task();
    Workload workload = timed_at(task, 3001, 3011, 0);
    Tensor& tensor = workload.tensors.front();
    tensor.values.kind = kind;
    task::WorkloadSpec spec;
    spec.group = Group::Time;
    spec.values[tensor.name] = {};
    task.workloads.push_back(spec);
    EXPECT_THAT(describe_size_classes(task, std::vector{workload}),
                ElementsAre(testing::HasSubstr("`" + tensor.name + "` holds " + words + ".")));
  }
}

TEST(SizeClass, TensorsAreNamedWhereSomeHaveShortRows) {
  EXPECT_THAT(classes_of("conv2d", Target::Cpu),
              testing::Each(testing::AnyOf(testing::Not(testing::HasSubstr("begin")),
                                           testing::HasSubstr("every row of `"),
                                           testing::HasSubstr("rows of `"))));
}

// A window of 3 x 3 and a stride of 1 admit Winograd's transform, others do not.
TEST(SizeClass, DimsThatAreSmallInEveryWorkloadAreExact) {
  EXPECT_THAT(classes_of("conv2d", Target::Cuda),
              ElementsAre(testing::HasSubstr("`kh` exactly 3; `kw` exactly 3; `stride` exactly 1; "
                                             "`pad` exactly 1;"),
                          testing::HasSubstr("`kh` exactly 5; `kw` exactly 4; `stride` exactly 2; "
                                             "`pad` exactly 2;")));
  EXPECT_THAT(classes_of("fctd3d", Target::Cpu),
              testing::Each(testing::HasSubstr("`nsrc` below 10")));
}

TEST(SizeClass, EqualClassesAreToldOnceAndOtherGroupsNever) {
  const task::Definition task = test_task();
  std::vector<Workload> workloads{timed_at(task, 3001, 3011, 0), timed_at(task, 2001, 4011, 0),
                                  timed_at(task, 11, 3011, 0)};
  const auto lines = describe_size_classes(task, workloads);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[0].ends_with(". 2 timed workloads have this class.")) << lines[0];
  for (Workload& w : workloads) w.group = Group::Check;
  EXPECT_THAT(describe_size_classes(task, workloads), IsEmpty());
}

constexpr std::int64_t kEverything = std::int64_t{1} << 50;  // bytes: no workload is skipped

// What the memory does not hold is told too, since a larger GPU times it.
TEST(SizeClass, WhatIsLeftOutIsToldWithItsReason) {
  const task::Definition task = test_task();
  const std::vector<Workload> none;
  const auto lines = describe_left_out(task, Target::Cuda, none);
  ASSERT_TRUE(lines.has_value());
  EXPECT_THAT(
      *lines,
      ElementsAre(testing::AllOf(
          testing::StartsWith("Not timed here, but on machines with more memory. One call: "),
          testing::HasSubstr("tensors of 10 MB to 100 MB"))));
  const auto resolved = task::resolve(task, Target::Cuda, kEverything);
  ASSERT_TRUE(resolved.has_value());
  EXPECT_THAT(*describe_left_out(task, Target::Cuda, resolved->workloads), IsEmpty());
}

// Every number in the description of a class must be an exponent or a power of ten, for every task,
// unless it is the value of a dim that is small in every workload.
TEST(SizeClass, NoSizeOfAShippedTaskStandsInItsClass) {
  const auto data = memory::DataFiles::open(std::nullopt);
  ASSERT_TRUE(data.has_value());
  int looked_at = 0;
  for (const std::string& name : data->folders("tasks"))
    for (const Target target : {Target::Cpu, Target::Cuda}) {
      if (target == Target::Cpu && name.contains("f16")) continue;  // such tasks are for GPUs
      const auto definition = task::parse_task(*memory::shipped_task(*data, name));
      ASSERT_TRUE(definition.has_value()) << name;
      const auto resolved = task::resolve(*definition, target, kEverything);
      ASSERT_TRUE(resolved.has_value()) << name << ": " << describe(resolved.error());
      for (const std::string& line : describe_size_classes(*definition, resolved->workloads)) {
        for (std::size_t at = 0; at < line.size();) {
          std::size_t end = at;
          while (end < line.size() && line[end] >= '0' && line[end] <= '9') ++end;
          const std::string digits = line.substr(at, end - at);
          std::set<std::string> may_be_said{"1", "10", "100"};
          if (line.substr(end).starts_with("^31")) may_be_said.insert("2");
          const bool is_exponent = at > 0 && line[at - 1] == '^';
          const bool is_count = line.substr(end).starts_with(" timed workloads have");
          const bool is_small = line.substr(0, at).ends_with(" exactly ") && digits.size() == 1;
          const bool is_in_a_name = at > 0 && (line[at - 1] == '_' || std::isalpha(line[at - 1]));
          if (end > at && !is_exponent && !is_count && !is_small && !is_in_a_name) {
            EXPECT_TRUE(may_be_said.contains(digits)) << name << ": " << line;
            ++looked_at;
          }
          at = std::max(end, at + 1);
        }
      }
    }
  EXPECT_GT(looked_at, 100);
}

}  // namespace
}  // namespace kw::propose
