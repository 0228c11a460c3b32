// Tests of reading foreign JSON and of canonical output.
// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kw {
namespace {

std::string complaint_about(std::string_view text, JsonLimits limits = {}) {
  const auto json = parse_json(text, "reply", limits);
  return json ? "fine" : describe(json.error());
}

TEST(Json, NamesThePlaceOfAnError) {
  EXPECT_TRUE(complaint_about("{\n  \"a\": ]\n}").starts_with("reply:2:8: "))
      << complaint_about("{\n  \"a\": ]\n}");
  EXPECT_TRUE(complaint_about("").starts_with("reply:1:1: "));
  EXPECT_EQ(complaint_about("1e999999").find("fine"), std::string::npos);
}

TEST(Json, RefusesWhatIsTooDeepOrTooLong) {
  EXPECT_EQ(complaint_about(std::string(1'000'000, '[')),
            "reply:1:65: the JSON text is nested deeper than 64 levels");
  EXPECT_EQ(complaint_about("[[1], \"[[[\", \"\\\"[[\"]", {.bytes = 100, .depth = 2}), "fine");
  EXPECT_EQ(complaint_about("[1, 2, 3]", {.bytes = 4, .depth = 2}),
            "reply: the JSON text has 9 B; at most 4 B are read");
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
