// Tests of the sizes of drafted workloads.
// SPDX-License-Identifier: Apache-2.0
#include "task/draft_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "task/load.h"
#include "task/test_draft.h"

namespace kw::task {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Three sizes of a product in f64.
DraftedSizes product() {
  return {.dims = {{"m"}, {"n"}, {"k"}},
          .work_rank = 3,
          .tensor_rank = 2,
          .operations = "2 * m * n * k",
          .bytes = "8 * (m * k + k * n + m * n)"};
}

/// One long array of f32.
DraftedSizes stream() {
  return {.dims = {{"n"}}, .work_rank = 1, .tensor_rank = 1, .operations = "n", .bytes = "8 * n"};
}

/// The dims of the timed workloads of a processor.
std::vector<std::map<std::string, std::int64_t, std::less<>>> timed(const DraftedSizes& sizes,
                                                                    const TimedScales& scales) {
  std::string text = draft_shapes(sizes, scales);
  std::vector<std::map<std::string, std::int64_t, std::less<>>> rows;
  std::size_t at = text.find("time:");
  while ((at = text.find("for: [cpu]", at)) != std::string::npos) {
    std::map<std::string, std::int64_t, std::less<>> row;
    for (const DraftedDim& dim : sizes.dims) {
      const std::size_t value = text.find(", " + dim.name + ": ", at) + dim.name.size() + 4;
      row[dim.name] = std::stoll(text.substr(value));
    }
    rows.push_back(std::move(row));
    ++at;
  }
  return rows;
}

TEST(DraftShapes, CountedSizesOfAProductTakeWhatIsWanted) {
  const auto rows = timed(product(), counted_scales(product()));
  ASSERT_EQ(rows.size(), 1U) << "the caches hold all of it, so there is no second workload";
  const double operations = 2.0 * static_cast<double>(rows[0].at("m") * rows[0].at("n")) *
                            static_cast<double>(rows[0].at("k"));
  EXPECT_GT(operations, 0.5 * kWantedCallNs);
  EXPECT_LE(operations, 1.1 * kWantedCallNs);
  EXPECT_EQ((std::set{rows[0].at("m"), rows[0].at("n"), rows[0].at("k")}.size()), 3U);
}

TEST(DraftShapes, AStreamIsTimedBeyondTheCachesAndWithin) {
  const auto rows = timed(stream(), counted_scales(stream()));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_GT(8 * rows[0].at("n"), 64 << 20);
  EXPECT_LE(8 * rows[1].at("n"), 5 << 20);
}

TEST(DraftShapes, MeasuredTimesChangeTheSizesByTheRankOfTheWork) {
  TimedScales scales{.processor = 1, .gpu = 1};
  const TimedScales slower = rescaled(product(), scales, 8 * kWantedCallNs);
  EXPECT_NEAR(slower.processor, 0.5, 0.02) << "half of each of three sizes";
  const TimedScales faster = rescaled(product(), scales, 1);
  EXPECT_NEAR(faster.processor, 8, 0.3) << "never more than eightfold at a time";
  EXPECT_EQ(slower.gpu, 1) << "a processor's time says nothing about a GPU";
}

TEST(DraftShapes, ArraysStayBelowAGibibyte) {
  const TimedScales scales = rescaled(stream(), {.processor = 32}, 1e3);
  EXPECT_LE(8 * timed(stream(), scales)[0].at("n"), std::int64_t{1} << 30);
}

TEST(DraftShapes, SizesThatScaleAreDistinctPrimes) {
  for (const double scale : {0.001, 0.03, 0.7, 3.0}) {
    const auto rows = timed(product(), {.processor = scale});
    std::set<std::int64_t> seen;
    for (const auto& [name, size] : rows[0]) {
      seen.insert(size);
      for (std::int64_t d = 2; d * d <= size; ++d) EXPECT_NE(size % d, 0) << name << " " << size;
    }
    EXPECT_EQ(seen.size(), 3U) << scale;
  }
}

TEST(DraftShapes, WorkOfIntegersIsCounted) {
  const Draft walk = draft(
      "void paths(int n, int d[n][n]) {\n"
      "  for (int k = 0; k < n; k++)\n"
      "    for (int i = 0; i < n; i++)\n"
      "      for (int j = 0; j < n; j++)\n"
      "        if (d[i][k] + d[k][j] < d[i][j]) d[i][j] = d[i][k] + d[k][j];\n"
      "}\n");
  EXPECT_THAT(walk.files.at("task.yaml"), HasSubstr("flops: \"n * n * n\""));
  EXPECT_EQ(walk.sizes.work_rank, 3);
}

TEST(DraftShapes, WhatIsWrittenWholeIsTheFloor) {
  const Draft relu = draft(
      "void relu(int n, const float* x, float* y) {\n"
      "  for (int i = 0; i < n; i++) y[i] = x[i] > 0 ? x[i] : 0;\n"
      "}\n");
  EXPECT_THAT(relu.files.at("task.yaml"), HasSubstr("floor: { bytes: \"4 * n\", flops: 0 }"));
}

TEST(DraftShapes, AChosenOutputIsNoInput) {
  const std::string source =
      "void upper(int n, const double* x, double* y) {\n"
      "  for (int i = 0; i < n; i++)\n"
      "    for (int j = i; j < n; j++) {\n"
      "      y[i * n + j] = x[i] * x[j];\n"
      "      y[j * n + i] = y[i * n + j];\n"
      "    }\n"
      "}\n";
  const auto guessed = draft_from_source(source, "upper.c", {}, {});
  ASSERT_TRUE(guessed);
  EXPECT_THAT(guessed->doubtful_outputs, ::testing::ElementsAre("y"));
  EXPECT_THAT(guessed->files.at("task.yaml"), HasSubstr("role: inout"));
  DraftChoices choices;
  choices.outputs = {"y"};
  const auto chosen = draft_from_source(source, "upper.c", {}, {}, choices);
  ASSERT_TRUE(chosen);
  EXPECT_THAT(chosen->files.at("task.yaml"), Not(HasSubstr("role: inout")));
}

}  // namespace
}  // namespace kw::task
