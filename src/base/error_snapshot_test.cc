// How errors are shown, and the words of one error of each code that this room raises. Each other
// file of this name does the same for its room: every example comes from the code that reports the
// trouble, no code has two, and codes whose trouble is hard to bring about in a test have none.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/error_for_test.h"
#include "base/expr.h"
#include "base/json.h"

namespace kw {
namespace {

TEST(ErrorSnapshot, AnErrorIsShownAsOneLineWithItsPlace) {
  EXPECT_EQ(describe(fail("words", "place").error()), "place: words");
  EXPECT_EQ(describe(fail("words").error()), "words");
}

TEST(ErrorSnapshot, Base) {
  EXPECT_THAT(evaluate_text("2 * q", Names()),
              IsErrorShownAs(ErrorCode::BadInput, "column 5: unknown name 'q' in '2 * q'"));
  EXPECT_THAT(
      parse_json("[1, 2, 3]", "reply", {.bytes = 4}),
      IsErrorShownAs(ErrorCode::TooLarge, "reply: the JSON text has 9 B; at most 4 B are read"));
  EXPECT_THAT(from_base64("AAA"),
              IsErrorShownAs(
                  ErrorCode::Malformed,
                  "the base64 text is damaged: its length is not a multiple of four characters"));
}

}  // namespace
}  // namespace kw
