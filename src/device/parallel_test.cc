// Tests of shared loops: every piece is taken once, by any thread, and many loops can follow each
// other.
// SPDX-License-Identifier: Apache-2.0
#include "device/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace kw::device {
namespace {

TEST(Parallel, EveryPieceOnceInEveryLoop) {
  for (const int threads : {1, 2, 5}) {
    Parallel parallel(threads);
    EXPECT_EQ(parallel.threads(), threads);
    for (int loop = 0; loop < 300; ++loop) {
      const std::int64_t pieces = loop % 40;
      std::vector<std::atomic<int>> taken(40);
      parallel.for_each(pieces, [&](std::int64_t i) { ++taken[static_cast<std::size_t>(i)]; });
      for (std::int64_t i = 0; i < 40; ++i)
        ASSERT_EQ(taken[static_cast<std::size_t>(i)], i < pieces ? 1 : 0) << threads << ' ' << loop;
    }
  }
}

}  // namespace
}  // namespace kw::device
