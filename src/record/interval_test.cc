// Tests of describing intervals in words: an interval that was not measured is never printed.
// SPDX-License-Identifier: Apache-2.0
#include "record/interval.h"

#include <gtest/gtest.h>

#include <limits>

namespace kw {
namespace {

Speedup ratio(double low, double high, double confidence) {
  Speedup s;
  s.value = 1.03;
  s.low = low;
  s.high = high;
  s.confidence = confidence;
  return s;
}

TEST(Interval, IsPrintedWhereItWasMeasured) {
  const Speedup s = ratio(0.987, 1.067, 0.995);
  EXPECT_EQ(interval_text(s), "0.987–1.067 at 99.5 %");
  EXPECT_EQ(range_text(s), "0.987–1.067");
  EXPECT_EQ(in_brackets(range_text(s)), " (0.987–1.067)");
  EXPECT_EQ(in_brackets(interval_text(s), "faster"), " (0.987–1.067 at 99.5 %, faster)");
}

TEST(Interval, IsNothingWhereItWasNot) {
  EXPECT_EQ(interval_text(ratio(0, 0, 0)), "");
  EXPECT_EQ(interval_text(ratio(0, 0, 0.995)), "") << "how sure one is of nothing";
  EXPECT_EQ(interval_text(ratio(0.5, std::numeric_limits<double>::infinity(), 0.995)), "");
  EXPECT_EQ(in_brackets(""), "");
  EXPECT_EQ(in_brackets("", "not shown faster"), " (not shown faster)");
  EXPECT_EQ(interval_text(ratio(0.9, 1.1, 0)), "0.900–1.100") << "nobody says how sure it is";
}

}  // namespace
}  // namespace kw
