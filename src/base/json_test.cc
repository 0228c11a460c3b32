// Tests of reading foreign JSON and of canonical output.
// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error_for_test.h"

namespace kw {
namespace {

TEST(Json, NamesThePlaceOfAnError) {
  const auto is_damaged = [](const char* where) {
    return testing::AllOf(IsError(ErrorCode::Malformed), IsErrorAt(where));
  };
  EXPECT_THAT(parse_json("{\n  \"a\": ]\n}", "reply"), is_damaged("reply:2:8"));
  EXPECT_THAT(parse_json("", "reply"), is_damaged("reply:1:1"));
  EXPECT_THAT(parse_json("1e999999", "reply"), IsError(ErrorCode::Malformed));
}

TEST(Json, RefusesWhatIsTooDeepOrTooLong) {
  const auto deep = parse_json(std::string(1'000'000, '['), "reply");
  EXPECT_THAT(deep, IsErrorAbout(ErrorCode::TooLarge, "levels"));
  EXPECT_THAT(deep, IsErrorAt("reply:1:65"));
  EXPECT_TRUE(parse_json("[[1], \"[[[\", \"\\\"[[\"]", "reply", {.bytes = 100, .depth = 2}));
  const auto longer = parse_json("[1, 2, 3]", "reply", {.bytes = 4, .depth = 2});
  EXPECT_THAT(longer, IsErrorAbout(ErrorCode::TooLarge, "bytes"));
  EXPECT_THAT(longer, IsErrorAt("reply"));
}

TEST(Json, WritesEqualValuesAsEqualText) {
  const auto a = parse_json(R"({"b": 1, "a": [true, null, 0.5]})", "a").value();
  const auto b = parse_json(R"({"a":[true,null,5e-1],"b":1})", "b").value();
  EXPECT_EQ(dump_json(a), R"({"a":[true,null,0.5],"b":1})");
  EXPECT_EQ(dump_json(a), dump_json(b));
  EXPECT_EQ(dump_json_pretty(Json::array({1})), "[\n  1\n]\n");
  EXPECT_EQ(dump_json(Json("\xff")), "\"\xef\xbf\xbd\"");
}

TEST(WithoutArrays, EmptiesThemWhereverTheyStand) {
  EXPECT_EQ(without_arrays(R"({"a":[1,[2,"]"]],"b":{"a":[{"a":[3]}]},"c":"\"a\":[4]"})", "a"),
            R"({"a":[],"b":{"a":[]},"c":"\"a\":[4]"})");
  EXPECT_EQ(without_arrays(R"({"ab":[1],"a":{"b":[2]},"x":"a"})", "a"),
            R"({"ab":[1],"a":{"b":[2]},"x":"a"})");
  EXPECT_EQ(without_arrays(R"({"x\"a":[1],"a":[2]})", "a"), R"({"x\"a":[1],"a":[]})");
  for (const char* broken : {"", "\"", "{\"a\":[", "{\"a\":[\"\\", "\"a\":[1]]]"})
    EXPECT_LE(without_arrays(broken, "a").size(), std::string_view(broken).size() + 1);
}

}  // namespace
}  // namespace kw
