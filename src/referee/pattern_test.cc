// Every pattern is named from a map that shows it, and not from a map without a pattern.
// SPDX-License-Identifier: Apache-2.0
#include "referee/pattern.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "base/rng.h"

namespace kw::referee {
namespace {

using ::testing::HasSubstr;

/// A map whose truth is random; `change` edits what the candidate left, and every element that then
/// differs has failed.
FailureMap make_map(std::vector<std::int64_t> sizes,
                    const std::function<void(FailureMap&)>& change) {
  FailureMap map;
  map.sizes = std::move(sizes);
  map.origin.assign(map.sizes.size(), 0);
  std::int64_t count = 1;
  for (const auto s : map.sizes) count *= s;
  Rng rng(Seed::from_number(11));
  for (std::int64_t i = 0; i < count; ++i) map.want.push_back(rng.normal());
  map.got = map.want;
  change(map);
  for (std::size_t i = 0; i < map.got.size(); ++i) map.failed.push_back(map.got[i] != map.want[i]);
  return map;
}

/// The pattern that is seen, and the numbers of the sentences about it: "tail 5 37 1 8 16 32".
std::string pattern_and_numbers(const FailureMap& map) {
  const PatternReading reading = read_pattern(map);
  std::string text(name_of(reading.pattern));
  for (const Wording& sentence : reading.sentences)
    for (const double number : sentence.numbers) text += fmt::format(" {}", number);
  return text;
}

TEST(Pattern, NothingFailed) {
  const FailureMap map = make_map({8, 8}, [](FailureMap&) {});
  EXPECT_EQ(pattern_and_numbers(map), "none");
  EXPECT_TRUE(read_pattern(map).sentences.empty());
}

TEST(Pattern, EverythingZero) {
  EXPECT_EQ(pattern_and_numbers(make_map({8, 8}, [](FailureMap& m) { m.got.assign(64, 0.0); })),
            "zero");
}

TEST(Pattern, NeverWritten) {
  EXPECT_EQ(pattern_and_numbers(make_map({8, 8},
                                         [](FailureMap& m) {
                                           m.before.assign(64, 1e30);
                                           for (std::size_t i = 40; i < 43; ++i) m.got[i] = 1e30;
                                         })),
            "unwritten");
}

TEST(Pattern, NanFromAnIndexOn) {
  EXPECT_EQ(pattern_and_numbers(make_map({100},
                                         [](FailureMap& m) {
                                           for (std::size_t i = 37; i < 100; ++i)
                                             m.got[i] = std::numeric_limits<double>::quiet_NaN();
                                         })),
            "not_finite 37");
}

TEST(Pattern, ConstantFactor) {
  EXPECT_EQ(pattern_and_numbers(make_map({10, 10},
                                         [](FailureMap& m) {
                                           for (double& g : m.got) g *= 2;
                                         })),
            "factor 2");
  EXPECT_EQ(pattern_and_numbers(make_map({10, 10},
                                         [](FailureMap& m) {
                                           for (double& g : m.got) g = -g;
                                         })),
            "factor -1");
}

TEST(Pattern, ShiftedByOne) {
  EXPECT_EQ(pattern_and_numbers(make_map({12, 16},
                                         [](FailureMap& m) {
                                           for (std::size_t i = 0; i + 1 < m.got.size(); ++i)
                                             m.got[i] = m.want[i + 1];
                                         })),
            "shifted 1");
  EXPECT_EQ(pattern_and_numbers(make_map({12, 16},
                                         [](FailureMap& m) {
                                           for (std::size_t i = 16; i < m.got.size(); ++i)
                                             m.got[i] = m.want[i - 16];
                                         })),
            "shifted 0");
}

TEST(Pattern, Transposed) {
  EXPECT_EQ(pattern_and_numbers(make_map({9, 9},
                                         [](FailureMap& m) {
                                           for (std::size_t r = 0; r < 9; ++r)
                                             for (std::size_t c = 0; c < 9; ++c)
                                               m.got[r * 9 + c] = m.want[c * 9 + r];
                                         })),
            "transposed 0 1");
  // In a block that is not square, the transpose is written densely into the same memory.
  EXPECT_EQ(pattern_and_numbers(make_map({6, 10},
                                         [](FailureMap& m) {
                                           for (std::size_t r = 0; r < 6; ++r)
                                             for (std::size_t c = 0; c < 10; ++c)
                                               m.got[c * 6 + r] = m.want[r * 10 + c];
                                         })),
            "transposed 0 1");
}

TEST(Pattern, TailOfTheLastTile) {
  const FailureMap map = make_map({5, 37}, [](FailureMap& m) {
    for (std::size_t r = 0; r < 5; ++r)
      for (std::size_t c = 32; c < 37; ++c) m.got[r * 37 + c] += 1 + static_cast<double>(c * r);
  });
  EXPECT_EQ(pattern_and_numbers(map), "tail 5 37 1 8 16 32")
      << "the last are tiles that would end so";
}

TEST(Pattern, LastPlaneMissing) {
  EXPECT_EQ(pattern_and_numbers(make_map({6, 7, 8},
                                         [](FailureMap& m) {
                                           for (std::size_t i = 5 * 56; i < 6 * 56; ++i)
                                             m.got[i] = 17 + static_cast<double>(i);
                                         })),
            "tail 0 5");
}

TEST(Pattern, OneRowIn32) {
  EXPECT_EQ(pattern_and_numbers(make_map({128, 4},
                                         [](FailureMap& m) {
                                           for (std::size_t r = 31; r < 128; r += 32)
                                             for (std::size_t c = 0; c < 4; ++c)
                                               m.got[r * 4 + c] += 3 + static_cast<double>(r * c);
                                         })),
            "period 32 0 31 63 95 32");
}

TEST(Pattern, OnlyTheHalo) {
  EXPECT_EQ(pattern_and_numbers(make_map({40, 40},
                                         [](FailureMap& m) {
                                           for (std::size_t r = 0; r < 40; ++r)
                                             for (std::size_t c = 0; c < 40; ++c)
                                               if (r < 2 || r > 37 || c < 2 || c > 37)
                                                 m.got[r * 40 + c] +=
                                                     1 + static_cast<double>(r * c);
                                         })),
            "border 2");
}

TEST(Pattern, IsolatedPoints) {
  EXPECT_EQ(pattern_and_numbers(make_map({60, 60},
                                         [](FailureMap& m) {
                                           for (const std::size_t i : {1233u, 2001u, 2002u})
                                             m.got[i] += 5;
                                         })),
            "isolated 3");
}

TEST(Pattern, ABorderThatIsMostOfTheTensorSaysNothing) {
  EXPECT_EQ(pattern_and_numbers(make_map({24, 24}, [](FailureMap& m) { m.got[7 * 24 + 9] += 5; })),
            "isolated 1");
}

TEST(Pattern, NoPatternIsNotInvented) {
  Rng rng(Seed::from_number(3));
  const FailureMap map = make_map({50, 50}, [&](FailureMap& m) {
    for (double& g : m.got)
      if (rng.uniform() < 0.4) g += rng.normal();
  });
  EXPECT_TRUE(read_pattern(map).sentences.empty());
  EXPECT_EQ(pattern_and_numbers(map), "none");
}

TEST(NumberFrame, ShowsCoordinatesInTheTensor) {
  FailureMap map = make_map({4, 4}, [](FailureMap& m) { m.got[6] = 99; });
  map.origin = {10, 20};
  const std::string frame = number_frame(map);
  EXPECT_THAT(frame, HasSubstr("[11, 22]"));
  EXPECT_THAT(frame, HasSubstr("99"));
}

/// A region of 40 x 50 in which `is_wrong` chooses the failed elements and `got` gives their
/// values.
FailureMap map_of(const std::function<bool(int, int)>& is_wrong,
                  const std::function<double(int, int)>& got) {
  FailureMap map;
  map.sizes = {40, 50};
  map.origin = {0, 0};
  for (int i = 0; i < 40; ++i)
    for (int j = 0; j < 50; ++j) {
      const double want = 1 + 0.37 * i + 1.91 * j + 0.013 * i * j;
      map.want.push_back(want);
      map.failed.push_back(is_wrong(i, j));
      map.got.push_back(is_wrong(i, j) ? got(i, j) : want);
      map.before.push_back(-7.25 - i);
    }
  return map;
}

MismatchPattern seen_in(const FailureMap& map) { return read_pattern(map).pattern; }

TEST(Pattern, IsAValueToo) {
  using Pattern = MismatchPattern;
  const auto all = [](int, int) { return true; };
  const auto noise = [](int i, int j) { return 1e3 + 17 * ((i * 31 + j * 57) % 23); };
  const auto want = [](int i, int j) { return 1 + 0.37 * i + 1.91 * j + 0.013 * i * j; };
  const auto is_point = [](int i, int j) {
    return (i == 7 && j == 3) || (i == 12 && j == 31) || (i == 20 && j == 8) ||
           (i == 33 && j == 44);
  };
  EXPECT_EQ(seen_in(map_of(is_point, noise)), Pattern::Isolated);
  EXPECT_EQ(seen_in(map_of([](int, int j) { return j >= 48; }, noise)), Pattern::Tail);
  EXPECT_EQ(seen_in(map_of([](int, int j) { return j >= 49; }, noise)), Pattern::Tail);
  EXPECT_EQ(seen_in(map_of([](int i, int) { return i % 8 == 3; }, noise)), Pattern::Period);
  EXPECT_EQ(seen_in(map_of([](int i, int j) { return i < 2 || j < 2 || i > 37 || j > 47; }, noise)),
            Pattern::Border);
  EXPECT_EQ(seen_in(map_of(all,
                           [&](int i, int j) {
                             const int rank = i * 50 + j;
                             return want(rank % 40, rank / 40);
                           })),
            Pattern::Transposed);
  EXPECT_EQ(seen_in(map_of(all, [&](int i, int j) { return want(i, j + 1); })), Pattern::Shifted);
  EXPECT_EQ(seen_in(map_of(all, [&](int i, int j) { return 3 * want(i, j); })), Pattern::Factor);
  EXPECT_EQ(seen_in(map_of(all, [](int, int) { return std::nan(""); })), Pattern::NotFinite);
  EXPECT_EQ(seen_in(map_of(all, [](int i, int) { return -7.25 - i; })), Pattern::Unwritten);
  EXPECT_EQ(seen_in(map_of(all, [](int, int) { return 0.0; })), Pattern::Zero);
  EXPECT_EQ(seen_in(map_of(all, noise)), Pattern::None);
  const auto zero = [](int, int) { return 0.0; };
  EXPECT_EQ(seen_in(map_of([](int, int j) { return j >= 48; }, zero)), Pattern::Tail)
      << "places tell more than values";
  EXPECT_EQ(seen_in(map_of([](int, int) { return false; }, zero)), Pattern::None);
}

TEST(PatternSnapshot, EachPatternHasOneSentence) {
  using Pattern = MismatchPattern;
  const auto all = [](int, int) { return true; };
  const auto noise = [](int i, int j) { return 1e3 + 17 * ((i * 31 + j * 57) % 23); };
  const auto want = [](int i, int j) { return 1 + 0.37 * i + 1.91 * j + 0.013 * i * j; };
  const std::map<Pattern, std::pair<FailureMap, const char*>> examples = {
      {Pattern::Isolated,
       {map_of([](int i, int j) { return i == 20 && j == 30; }, noise),
        "1 isolated element is wrong: point updates (sources, scatter, the step or buffer they go "
        "to) rather than the bulk."}},
      {Pattern::Tail,
       {map_of([](int, int j) { return j >= 48; }, noise),
        "Only the last 2 of 50 indices of dimension 1 are wrong: the tail of the last tile, as if "
        "tiles had size 4, 8, 16."}},
      {Pattern::Period,
       {map_of([](int i, int) { return i % 8 == 3; }, noise),
        "One index in 8 of dimension 0 is wrong (3, 11, 19, …): look at what happens every 8 steps "
        "(lanes, unrolling, tiles)."}},
      {Pattern::Border,
       {map_of([](int i, int j) { return i < 2 || j < 2 || i > 37 || j > 47; }, noise),
        "Only the border is wrong, up to 2 elements deep: the halo or the boundary handling."}},
      {Pattern::Transposed,
       {map_of(all,
               [&](int i, int j) {
                 const int rank = i * 50 + j;
                 return want(rank % 40, rank / 40);
               }),
        "The result is transposed in dimensions 0 and 1: rows and columns are exchanged."}},
      {Pattern::Shifted,
       {map_of(all, [&](int i, int j) { return want(i, j + 1); }),
        "Results are shifted by one along dimension 1: index i holds what belongs at i + 1."}},
      {Pattern::Factor,
       {map_of(all, [&](int i, int j) { return 3 * want(i, j); }),
        "Every wrong element is 3 times the right value: a constant factor."}},
      {Pattern::NotFinite,
       {map_of(all, [](int, int) { return std::nan(""); }),
        "The wrong elements are NaN or infinite: division by zero, an uninitialised value or "
        "overflow."}},
      {Pattern::Unwritten,
       {map_of(all, [](int i, int) { return -7.25 - i; }),
        "Nothing was written: the output still holds what was there before the call."}},
      {Pattern::Zero,
       {map_of(all, [](int, int) { return 0.0; }), "Every element of the output is zero."}},
      {Pattern::None, {map_of(all, noise), "Every element of the output is wrong."}},
  };
  EXPECT_EQ(examples.size(), EnumNames<Pattern>::names.size());
  for (const auto& [pattern, example] : examples) {
    const PatternReading reading = read_pattern(example.first);
    EXPECT_EQ(name_of(reading.pattern), name_of(pattern));
    ASSERT_FALSE(reading.sentences.empty()) << name_of(pattern);
    EXPECT_EQ(reading.sentences.back().text, example.second);
  }
}

}  // namespace
}  // namespace kw::referee
