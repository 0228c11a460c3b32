// Tests that a sentence keeps the numbers that it was made of.
// SPDX-License-Identifier: Apache-2.0
#include "record/wording.h"

#include <gmock/gmock.h>

#include <string>
#include <string_view>

namespace kw {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Wording, NumbersAreKeptInTheirOrderAndNotRounded) {
  const Wording words = worded("{}: {} of {} at {:.2f}, {} in {}", std::string("k"), 3,
                               InBytes{2048}, 0.123456, InSi{4.5e9, "B/s"}, InNs{1.5e6});
  EXPECT_EQ(words.text, "k: 3 of 2 KiB at 0.12, 4.50 GB/s in 1.50 ms");
  EXPECT_THAT(words.numbers, ElementsAre(3, 2048, 0.123456, 4.5e9, 1.5e6));
}

TEST(Wording, WhatIsNoNumberLeavesNone) {
  EXPECT_THAT(worded("{} {} {} 9", true, 'c', std::string_view("8")).numbers, IsEmpty());
  EXPECT_THAT(worded("{}", Wording()).numbers, IsEmpty());
}

TEST(Wording, PartsGiveTheirNumbersWhereTheyStand) {
  const std::string_view form = "{:.1f} each";
  Wording words = worded("{} with {} and {}", 1, worded("{} of {}", 2, 3), 4);
  words += worded(fmt::runtime(form), 5.25);
  EXPECT_EQ((words + ".").text, "1 with 2 of 3 and 45.2 each.");
  EXPECT_THAT((words + worded(" {}", 6)).numbers, ElementsAre(1, 2, 3, 4, 5.25, 6));
}

}  // namespace
}  // namespace kw
