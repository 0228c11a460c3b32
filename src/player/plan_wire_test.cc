// Tests of encoding plans, and of refusing records that are out of bounds.
// SPDX-License-Identifier: Apache-2.0
#include "player/plan_wire.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>

namespace kw::player {
namespace {

std::uint32_t add_name(PlanParts& parts, std::string_view name) {
  const auto at = static_cast<std::uint32_t>(parts.names.size());
  parts.names.insert(parts.names.end(), name.begin(), name.end());
  return at;
}

/// A plan with a table, a map, a launch that uses both, a fill on another branch and a copy after
/// it.
PlanParts sample() {
  PlanParts p;
  p.data.resize(13, std::byte{7});
  p.tables.push_back({.offset = 8, .bytes = 5});
  WireTensorMap map;
  map.base = {PlaceKind::Buffer, 2, 64};
  map.rank = 2;
  p.maps.push_back(map);
  p.arguments.push_back({.kind = WireArgumentKind::Address,
                         .parameter = 0,
                         .bytes = 8,
                         .place = {PlaceKind::Table, 0, 4}});
  p.arguments.push_back(
      {.kind = WireArgumentKind::TensorMap, .parameter = 1, .at = 64, .bytes = 128, .place = {}});
  p.arguments.push_back({.parameter = 2, .bytes = 4, .image = 42, .place = {}});
  WireStep launch;
  launch.name = add_name(p, "gemm");
  launch.name_bytes = 4;
  launch.arguments = 3;
  launch.flags = kStepProgrammatic;
  p.steps.push_back(launch);
  WireStep fill;
  fill.kind = WireStepKind::Fill;
  fill.branch = 1;
  fill.bytes = 12;
  fill.unit = 4;
  p.steps.push_back(fill);
  WireStep copy;
  copy.kind = WireStepKind::Copy;
  copy.afters = 1;
  copy.bytes = 5;
  copy.from = {PlaceKind::Table, 0, 0};
  p.steps.push_back(copy);
  p.afters.push_back(1);
  return p;
}

/// Decodes a copy of the bytes in an allocation of exactly their size, so that reading too far is
/// noticed.
bool is_accepted(const std::vector<std::byte>& bytes) { return decode_plan(bytes).has_value(); }

TEST(Plans, KeepEverything) {
  const auto bytes = encode_plan(sample());
  const auto plan = decode_plan(bytes);
  ASSERT_TRUE(plan.has_value());
  ASSERT_EQ(plan->steps.size(), 3u);
  EXPECT_EQ(plan->name(plan->steps[0]), "gemm");
  EXPECT_EQ(plan->arguments_of(plan->steps[0])[2].image, 42u);
  EXPECT_EQ(plan->arguments_of(plan->steps[0])[1].at, 64u);
  EXPECT_EQ(plan->afters_of(plan->steps[2])[0], 1u);
  EXPECT_EQ(plan->maps[0].base.offset, 64u);
  EXPECT_EQ(plan->data[static_cast<std::size_t>(plan->tables[0].offset)], std::byte{7});
  EXPECT_TRUE(is_accepted(encode_plan({})));
}

TEST(Plans, ShortenedOrLengthenedAreRefused) {
  auto bytes = encode_plan(sample());
  for (std::size_t n = 0; n < bytes.size(); ++n)
    EXPECT_FALSE(is_accepted({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n)}));
  bytes.resize(bytes.size() + 8);
  EXPECT_FALSE(is_accepted(bytes));
}

TEST(Plans, RecordsOutOfBoundsAreRefused) {
  const std::function<void(PlanParts&)> damages[] = {
      [](PlanParts& p) { p.tables[0].bytes = 6; },
      [](PlanParts& p) { p.tables[0].bytes = 0; },
      [](PlanParts& p) { p.tables[0].offset = ~std::uint64_t{7}; },
      [](PlanParts& p) { p.maps[0].rank = 6; },
      [](PlanParts& p) { p.maps[0].rank = 0; },
      [](PlanParts& p) { p.maps[0].swizzle = 7; },
      [](PlanParts& p) { p.arguments[0].place.index = 1; },
      [](PlanParts& p) { p.arguments[0].place.offset = 6; },
      [](PlanParts& p) { p.arguments[0].bytes = 4; },
      [](PlanParts& p) { p.arguments[1].map = 1; },
      [](PlanParts& p) { p.arguments[1].at = kMaxParameterBytes; },
      [](PlanParts& p) { p.arguments[2].bytes = 3; },
      [](PlanParts& p) { p.arguments[2].kind = static_cast<WireArgumentKind>(9); },
      [](PlanParts& p) { p.steps[0].arguments = 4; },
      [](PlanParts& p) { p.steps[0].first_argument = ~0u; },
      [](PlanParts& p) { p.steps[0].name_bytes = 5; },
      [](PlanParts& p) { p.steps[0].name_bytes = 0; },
      [](PlanParts& p) { p.names[2] = 0; },
      [](PlanParts& p) { p.steps[0].grid[1] = 0; },
      [](PlanParts& p) { p.steps[0].cluster[2] = 2; },
      [](PlanParts& p) { p.steps[0].flags = 4; },
      [](PlanParts& p) { p.steps[0].carveout = 101; },
      [](PlanParts& p) { p.steps[1].unit = 8; },
      [](PlanParts& p) { p.steps[1].bytes = 10; },
      [](PlanParts& p) { p.steps[1].to.kind = PlaceKind::Table; },
      [](PlanParts& p) { p.steps[1].branch = kMaxPlanBranches; },
      [](PlanParts& p) { p.steps[2].bytes = 6; },
      [](PlanParts& p) { p.afters[0] = 2; },
      [](PlanParts& p) { p.steps[2].kind = static_cast<WireStepKind>(0); },
      [](PlanParts& p) { p.steps.resize(kMaxPlanSteps + 1, p.steps[1]); }};
  for (std::size_t i = 0; i < std::size(damages); ++i) {
    PlanParts parts = sample();
    damages[i](parts);
    EXPECT_FALSE(is_accepted(encode_plan(parts))) << i;
  }
}

TEST(Plans, CallsStandAmongCallsAndTakePlainArgumentsInTheirOrder) {
  PlanParts call;
  WireStep step;
  step.kind = WireStepKind::Call;
  step.arguments = 2;
  call.steps.push_back(step);
  call.arguments.push_back({.parameter = 0, .bytes = 4, .image = 42, .place = {}});
  call.arguments.push_back({.kind = WireArgumentKind::Address,
                            .parameter = 1,
                            .bytes = 8,
                            .place = {PlaceKind::Buffer, 3, 64}});
  EXPECT_TRUE(is_accepted(encode_plan(call)));
  PlanParts two = call;
  two.steps.push_back(two.steps[0]);
  EXPECT_TRUE(is_accepted(encode_plan(two)));
  const WireStep fill = sample().steps[1];
  ASSERT_EQ(fill.kind, WireStepKind::Fill);
  const std::function<void(PlanParts&)> damages[] = {
      [&](PlanParts& p) { p.steps.push_back(fill); },
      [&](PlanParts& p) { p.steps.insert(p.steps.begin(), fill); },
      [](PlanParts& p) { p.steps[0].branch = 1; },
      [](PlanParts& p) { p.arguments[1].parameter = 2; },
      [](PlanParts& p) { p.arguments[0].at = 4; },
      [](PlanParts& p) { p.arguments[0].bytes = 3; },
      [](PlanParts& p) { p.arguments[1].place.kind = PlaceKind::Table; },
      [](PlanParts& p) { p.steps[0].arguments = 3; },
      [](PlanParts& p) { p.maps.emplace_back(); },
      [](PlanParts& p) {
        p.data.resize(8);
        p.tables.push_back({.offset = 0, .bytes = 8});
      }};
  for (std::size_t i = 0; i < std::size(damages); ++i) {
    PlanParts parts = call;
    damages[i](parts);
    EXPECT_FALSE(is_accepted(encode_plan(parts))) << i;
  }
}

}  // namespace
}  // namespace kw::player
