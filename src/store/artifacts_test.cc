// Tests of compressing artifacts.
// SPDX-License-Identifier: Apache-2.0
#include "store/artifacts.h"

#include <gtest/gtest.h>

namespace kw::store {
namespace {

TEST(Compress, RoundTripsAndRefuses) {
  const std::string text(100'000, 'a');
  EXPECT_LT(compress(text).size(), 1000u);
  EXPECT_EQ(decompress(compress(text)).value(), text);
  EXPECT_EQ(decompress(compress("")).value(), "");
  EXPECT_FALSE(decompress(compress(text), 99'999)) << "claims more than the cap";
  std::string cut = compress(text);
  cut.resize(cut.size() - 1);
  EXPECT_FALSE(decompress(cut));
  EXPECT_FALSE(decompress(""));
}

}  // namespace
}  // namespace kw::store
