// Tests of the table of element types.
// SPDX-License-Identifier: Apache-2.0
#include "record/dtype.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace kw {
namespace {

TEST(Dtype, EachHasARowOfItsOwn) {
  std::set<std::string_view> types;
  ASSERT_EQ(kAllDtypes.size(), EnumNames<Dtype>::names.size());
  for (const Dtype dtype : kAllDtypes) {
    const DtypeRow row = row_of(dtype);
    EXPECT_GT(row.bytes, 0u) << name_of(dtype);
    EXPECT_TRUE(types.insert(row.c_type).second) << row.c_type;
    EXPECT_EQ(enum_from<Dtype>(name_of(dtype)), dtype);
    EXPECT_EQ(row.significand_bits > 0, is_real(dtype)) << name_of(dtype);
  }
}

TEST(Dtype, UnitRoundoffIsHalfTheDistanceFromOneToTheNextNumber) {
  EXPECT_EQ(unit_roundoff(Dtype::F32), std::numeric_limits<float>::epsilon() / 2);
  EXPECT_EQ(unit_roundoff(Dtype::F64), std::numeric_limits<double>::epsilon() / 2);
  EXPECT_EQ(unit_roundoff(Dtype::F16), 0x1p-11);
  EXPECT_EQ(unit_roundoff(Dtype::BF16), 0x1p-8);
  for (const Dtype dtype : kAllDtypes) EXPECT_EQ(unit_roundoff(dtype) > 0, is_real(dtype));
}

TEST(Dtype, IntegersHoldTheirRangeAndNoMore) {
  for (const Dtype dtype : kAllDtypes) {
    if (is_real(dtype)) continue;
    const DtypeRow row = row_of(dtype);
    EXPECT_TRUE(can_hold(dtype, 0));
    EXPECT_TRUE(can_hold(dtype, row.lowest)) << name_of(dtype);
    if (row.bytes == 8) continue;
    EXPECT_FALSE(can_hold(dtype, row.lowest - 1)) << name_of(dtype);
    EXPECT_TRUE(can_hold(dtype, static_cast<std::int64_t>(row.highest))) << name_of(dtype);
    EXPECT_FALSE(can_hold(dtype, static_cast<std::int64_t>(row.highest) + 1)) << name_of(dtype);
  }
  EXPECT_FALSE(can_hold(Dtype::U64, -1));
  EXPECT_FALSE(can_hold(Dtype::Bool, 2));
}

}  // namespace
}  // namespace kw
