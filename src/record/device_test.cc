// Tests of describing a roofline position in words.
// SPDX-License-Identifier: Apache-2.0
#include "record/device.h"

#include <gtest/gtest.h>

namespace kw {
namespace {

TEST(FractionText, NamesMatrixUnitsWhereTheyReachFurther) {
  RooflinePosition position;
  position.fraction = 0.826;
  EXPECT_EQ(fraction_text(position), "0.83");
  position.fraction = 1.6, position.matrix_fraction = 0.8;
  EXPECT_EQ(fraction_text(position), "1.60 (0.80 of 3xTF32)");
}

}  // namespace
}  // namespace kw
