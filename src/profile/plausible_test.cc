// Which ceilings are refused, and that honest ones are not.
// SPDX-License-Identifier: Apache-2.0
#include "profile/plausible.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace kw::profile {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Ceiling memory(const char* kind, const char* level, int threads, double gigabytes) {
  return {kind, level, "", threads, gigabytes * 1e9, 0.05, 9, 0.5};
}

Ceiling fma(const char* kind, const char* isa, int threads, double gigaflops) {
  return {kind, "core", isa, threads, gigaflops * 1e9, 0.05, 9, 0};
}

// Ceilings as measured on a 2-core server.
std::vector<Ceiling> honest() {
  return {memory("copy", "L1", 2, 930),     memory("copy", "L2", 2, 430),
          memory("copy", "L3", 2, 130),     memory("copy", "DRAM", 2, 59),
          memory("read", "DRAM", 2, 55),    memory("copy", "DRAM", 1, 48),
          memory("write", "DRAM", 2, 43),   fma("fma_f32", "scalar", 2, 31),
          fma("fma_f32", "avx2", 2, 300),   fma("fma_f32", "avx512", 2, 500),
          fma("fma_f64", "avx512", 2, 250), fma("fma_f32", "avx512", 1, 253)};
}

TEST(Plausible, HonestCeilingsStand) {
  EXPECT_THAT(implausible(honest()), IsEmpty());
  EXPECT_THAT(to_refuse(honest()), IsEmpty());
  EXPECT_THAT(implausible({}), IsEmpty());
}

TEST(Plausible, OneBadCeilingIsRefusedAndNamed) {
  struct Case {
    Ceiling bad;
    const char* why;
  };
  const Case cases[] = {
      {memory("copy", "DRAM", 2, 2000), "half of DRAM read:write 1:1, 2 threads (2.00 TB/s)"},
      {memory("read", "DRAM", 2, 20), "is less than half of DRAM read:write 1:1"},
      {memory("write", "DRAM", 2, 5), "is less than a fifth of"},
      {memory("copy", "DRAM", 2, 0.01), "outside"},
      {memory("copy", "DRAM", 2, std::nan("")), "outside"},
      {memory("copy", "L1", 2, 1e6), "outside"},
      {fma("fma_f32", "avx512", 2, 220), "is slower than narrower"},
      {fma("fma_f64", "avx512", 2, 900), "is faster than fma f32"},
      {fma("fma_f32", "avx512", 2, 1e5), "outside"},
  };
  for (const Case& c : cases) {
    std::vector<Ceiling> all = honest();
    std::erase_if(all, [&](const Ceiling& o) {
      return o.kind == c.bad.kind && o.level == c.bad.level && o.isa == c.bad.isa &&
             o.threads == c.bad.threads;
    });
    all.push_back(c.bad);
    const auto refused = to_refuse(all);
    ASSERT_THAT(refused, SizeIs(1)) << describe(c.bad);
    // Where only one other ceiling contradicts the bad one, either may be refused; the sentence
    // names both.
    EXPECT_THAT(refused[0].why, HasSubstr(describe(c.bad)));
    EXPECT_THAT(refused[0].why, HasSubstr(c.why));
    EXPECT_FALSE(implausible(all).empty());
  }
}

TEST(Plausible, MoreThreadsAreNeitherSlowerNorMoreThanTheirNumber) {
  EXPECT_THAT(implausible(std::vector{memory("copy", "L1", 2, 300), memory("copy", "L1", 1, 495)}),
              SizeIs(2));
  EXPECT_THAT(implausible(std::vector{memory("copy", "L1", 2, 900), memory("copy", "L1", 1, 300)}),
              SizeIs(2));
  EXPECT_THAT(implausible(std::vector{memory("copy", "L1", 2, 610), memory("copy", "L1", 1, 300)}),
              IsEmpty());
}

TEST(Plausible, OfTwoThatContradictTheNoisierGoes) {
  std::vector<Ceiling> two{memory("copy", "L1", 2, 300), memory("copy", "L1", 1, 495)};
  two[1].spread = 0.2;
  ASSERT_THAT(to_refuse(two), SizeIs(1));
  EXPECT_EQ(to_refuse(two)[0].index, 1u);
}

TEST(Plausible, FewSamplesAreNone) {
  std::vector<Ceiling> one{memory("copy", "L1", 2, 300)};
  one[0].samples = 2;
  ASSERT_THAT(to_refuse(one), SizeIs(1));
  EXPECT_THAT(to_refuse(one)[0].why, HasSubstr("3 are needed"));
}

TEST(Plausible, SpreadDecidesReliability) {
  Ceiling c = memory("copy", "L1", 2, 300);
  EXPECT_TRUE(is_reliable(c));
  c.spread = 0.31;
  EXPECT_FALSE(is_reliable(c));
}

TEST(Plausible, Words) {
  EXPECT_EQ(describe(memory("mix_3r1w", "DRAM", 2, 1)), "DRAM read:write 3:1, 2 threads");
  EXPECT_EQ(describe(memory("read", "L2", 1, 1)), "L2 reads, 1 thread");
  EXPECT_EQ(describe(fma("fma_f32", "avx2", 4, 1)), "fma f32 avx2, 4 threads");
}

}  // namespace
}  // namespace kw::profile
