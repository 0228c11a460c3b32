// Tests of Base64: the vectors of RFC 4648, and texts that no encoder gives.
// SPDX-License-Identifier: Apache-2.0
#include "base/base64.h"

#include <gtest/gtest.h>

namespace kw {
namespace {

TEST(Base64, VectorsOfTheRfc) {
  const std::pair<const char*, const char*> kVectors[] = {{"", ""},
                                                          {"f", "Zg=="},
                                                          {"fo", "Zm8="},
                                                          {"foo", "Zm9v"},
                                                          {"foob", "Zm9vYg=="},
                                                          {"fooba", "Zm9vYmE="},
                                                          {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : kVectors) {
    EXPECT_EQ(base64(std::string_view(bytes)), text);
    EXPECT_EQ(from_base64(text).value(), bytes);
  }
}

TEST(Base64, EveryByteComesBack) {
  std::string all;
  for (int i = 0; i < 257; ++i) all += static_cast<char>(i);
  EXPECT_EQ(from_base64(base64(all)).value(), all);
}

TEST(Base64, RefusesWhatNoEncoderGives) {
  for (const char* text : {"Zg=", "Zg=a", "Z===", "Zg==Zg==", "Z g=", "Zm9v\n", "=m9v"})
    EXPECT_FALSE(from_base64(text).has_value()) << text;
}

}  // namespace
}  // namespace kw
