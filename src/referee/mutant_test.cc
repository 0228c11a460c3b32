// Which mutants a workload has, and which part of it each mutant concerns.
// SPDX-License-Identifier: Apache-2.0
#include "referee/mutant.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "referee/testing.h"

namespace kw::referee {
namespace {

using ::testing::Contains;
using ::testing::Not;

Region box(std::vector<std::pair<std::int64_t, std::int64_t>> ranges) {
  Region region;
  for (const auto& [lo, hi] : ranges) region.ranges.push_back({lo, hi});
  return region;
}

std::string text(const std::optional<Region>& region) {
  if (!region) return "none";
  std::string all;
  for (const Range& r : region->ranges)
    all += "[" + std::to_string(r.lo) + "," + std::to_string(r.hi) + ")";
  return all;
}

TEST(MutantParts, AreTheLastOfABox) {
  const Region matrices = box({{0, 3}, {0, 100}, {0, 50}});
  EXPECT_EQ(text(last_part(Part::Element, matrices, 1)), "[2,3)[99,100)[49,50)");
  EXPECT_EQ(text(last_part(Part::Row, matrices, 1)), "[2,3)[99,100)[0,50)");
  EXPECT_EQ(text(last_part(Part::Column, matrices, 1)), "[0,3)[0,100)[49,50)");
  EXPECT_EQ(text(last_part(Part::Tile, matrices, 32)), "[2,3)[68,100)[18,50)");
  EXPECT_EQ(text(last_part(Part::Batch, matrices, 1)), "[2,3)[0,100)[0,50)");
  EXPECT_EQ(text(last_part(Part::Row, matrices, 4)), "[2,3)[96,100)[0,50)");
  EXPECT_EQ(text(last_part(Part::Column, matrices, 7)), "[0,3)[0,100)[43,50)");
  EXPECT_EQ(most_length(Part::Row, matrices), 50);
  EXPECT_EQ(least_length(Part::Tile, matrices), 32);
}

TEST(MutantParts, LieInsideABoxThatIsNotTheWholeTensor) {
  const Region plane = box({{2, 3}, {4, 20}, {4, 30}});
  EXPECT_EQ(text(last_part(Part::Element, plane, 1)), "[2,3)[19,20)[29,30)");
  EXPECT_EQ(text(last_part(Part::Column, plane, 100)), "[2,3)[4,20)[4,30)");
  EXPECT_EQ(text(last_part(Part::Batch, plane, 1)), "none") << "it has one";
}

TEST(MutantParts, AreNoneWhereTheyWouldBeAllOrTheSameAsAnother) {
  const Region vector = box({{0, 100}});
  EXPECT_EQ(text(last_part(Part::Element, vector, 1)), "[99,100)");
  EXPECT_EQ(text(last_part(Part::Tile, vector, 32)), "[68,100)");
  for (const Part part : {Part::Row, Part::Column, Part::Batch})
    EXPECT_EQ(text(last_part(part, vector, 1)), "none");
  EXPECT_EQ(text(last_part(Part::Element, box({{0, 1}}), 1)), "none") << "all of it";
  EXPECT_EQ(text(last_part(Part::Tile, box({{0, 20}, {0, 30}}), 30)), "none") << "all of it";
  EXPECT_EQ(text(last_part(Part::Row, box({{0, 9}, {0, 1}}), 1)), "none") << "as the element";
  EXPECT_EQ(text(last_part(Part::Row, box({}), 1)), "none");
  EXPECT_EQ(text(last_part(Part::Column, box({{0, 5}, {0, 0}}), 1)), "none");
}

TEST(MutantParts, OfAShiftHaveTheirNeighbour) {
  const Region rows = box({{0, 3}, {2, 12}});
  EXPECT_EQ(text(shifted_part(Extent::All, rows, true)), "[0,3)[3,12)");
  EXPECT_EQ(text(shifted_part(Extent::All, rows, false)), "[0,3)[2,11)");
  EXPECT_EQ(text(shifted_part(Extent::SecondHalf, rows, true)), "[0,3)[7,12)");
  EXPECT_EQ(text(shifted_part(Extent::SecondHalf, rows, false)), "[0,3)[7,11)");
  EXPECT_EQ(text(shifted_part(Extent::Last, rows, true)), "[0,3)[11,12)");
  const Region column = box({{0, 3}, {0, 1}});
  EXPECT_EQ(text(shifted_part(Extent::Last, column, true)), "[0,3)[1,1)") << "nothing";
}

std::vector<std::string> names(const Workload& workload) {
  std::vector<std::string> all;
  for (const Mutant& mutant : mutants_of(workload)) all.push_back(mutant.name);
  return all;
}

TEST(Mutants, AreOfEveryKindThatTheShapesAllow) {
  Workload workload = testing::make_workload("large", Group::Time, testing::kRows);
  const auto all = names(workload);
  for (const char* name :
       {"last element unwritten", "last row zero", "last column zero", "last tile unwritten",
        "exclusive for inclusive everywhere", "exclusive for inclusive in the second half",
        "exclusive for inclusive in the last element", "inclusive for exclusive everywhere",
        "last element of x dropped", "last row of x dropped", "last column of x dropped",
        "last tile of x dropped", "one element of x dropped", "one in 2^6 of x dropped",
        "x rounded to 8 bits", "x rounded to 11 bits", "x rounded to 16 bits"})
    EXPECT_THAT(all, Contains(name));
  EXPECT_THAT(all, Not(Contains("one in 2^12 of x dropped"))) << "960 elements";
  EXPECT_THAT(all, Not(Contains("last batch of x dropped")));
  EXPECT_THAT(all, Not(Contains("last row of y dropped"))) << "an output";
  std::vector<std::string> sorted = all;
  std::ranges::sort(sorted);
  EXPECT_EQ(std::ranges::adjacent_find(sorted), sorted.end()) << "no name twice";
}

TEST(Mutants, RoundToFewerBitsThanTheTypeHas) {
  Workload workload = testing::make_workload("large", Group::Time, testing::kRows);
  for (Tensor& tensor : workload.tensors) tensor.dtype = Dtype::F16;
  EXPECT_THAT(names(workload), Contains("x rounded to 8 bits"));
  EXPECT_THAT(names(workload), Not(Contains("x rounded to 11 bits")));
  EXPECT_THAT(names(workload), Not(Contains("x rounded to 7 bits")));
  workload.exact_below = 8;
  EXPECT_THAT(names(workload), Contains("x rounded to 7 bits")) << "the last bits decide";
  workload.tensors[0].dtype = Dtype::I32;
  for (const std::string& name : names(workload)) EXPECT_EQ(name.find("rounded"), name.npos);
}

TEST(Mutants, LeaveOffsetsInOrder) {
  Workload workload = testing::make_workload("large", Group::Time, testing::kRows);
  Tensor& x = workload.tensors[0];
  x.dtype = Dtype::I32;
  EXPECT_THAT(names(workload), Contains("one in 2^6 of x dropped"));
  x.values.kind = "integers";
  EXPECT_THAT(names(workload), Contains("x kept to half of its bits"));
  x.values.kind = "offsets";
  EXPECT_THAT(names(workload), Not(Contains("one in 2^6 of x dropped")));
  EXPECT_THAT(names(workload), Not(Contains("x kept to half of its bits")));
}

}  // namespace
}  // namespace kw::referee
