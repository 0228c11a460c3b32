// Tests of the event stream reader: every way to end a line or to cut a piece, and malformed
// streams.
// SPDX-License-Identifier: Apache-2.0
#include "net/sse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "base/error_for_test.h"

namespace kw::net {
namespace {

using testing::ElementsAre;

std::vector<SseEvent> read(const std::vector<std::string>& pieces) {
  std::vector<SseEvent> events;
  const auto keep = [&](const SseEvent& event) -> Result<> {
    events.push_back(event);
    return {};
  };
  SseReader reader;
  for (const std::string& piece : pieces) EXPECT_TRUE(reader.feed(piece, keep));
  EXPECT_TRUE(reader.finish(keep));
  return events;
}

TEST(Sse, ReadsNamesAndSeveralLinesOfData) {
  EXPECT_THAT(read({"event: delta\ndata: one\ndata:two\ndata:  three\n\ndata\n\n"}),
              ElementsAre(SseEvent{"delta", "one\ntwo\n three"}, SseEvent{"", ""}));
}

TEST(Sse, EndsLinesInAnyOfThreeWays) {
  EXPECT_THAT(read({"data: a\r\n\r\ndata: b\r\rdata: c\n\n"}),
              ElementsAre(SseEvent{"", "a"}, SseEvent{"", "b"}, SseEvent{"", "c"}));
  EXPECT_THAT(read({"data: a\r", "\n\r", "\ndata: b\r", "\n\r\n"}),
              ElementsAre(SseEvent{"", "a"}, SseEvent{"", "b"}));
}

TEST(Sse, JoinsACharacterCutBetweenPieces) {
  EXPECT_THAT(read({"data: \xE2", "\x82", "\xAC\n", "\n"}), ElementsAre(SseEvent{"", "€"}));
}

TEST(Sse, DropsByteOrderMarkCommentsAndUnknownFields) {
  EXPECT_THAT(read({"\xEF\xBB\xBF"
                    "data: a\n: keep-alive\nid: 7\nfoo: bar\n\n: x\n\nevent: e\n\n"}),
              ElementsAre(SseEvent{"", "a"}));
}

TEST(Sse, HandsOverAnEventWithoutItsBlankLine) {
  EXPECT_THAT(read({"data: a\n\ndata: [DONE]"}),
              ElementsAre(SseEvent{"", "a"}, SseEvent{"", "[DONE]"}));
}

TEST(Sse, RemembersRetry) {
  SseReader reader;
  const auto ignore = [](const SseEvent&) -> Result<> { return {}; };
  ASSERT_TRUE(reader.feed("retry: 1500\nretry: soon\nretry: -3\n", ignore));
  EXPECT_EQ(reader.retry(), std::chrono::milliseconds(1500));
}

TEST(Sse, RefusesHugeLinesAndEvents) {
  const auto ignore = [](const SseEvent&) -> Result<> { return {}; };
  SseReader line(100);
  Result<> status;
  for (int i = 0; i < 20 && status; ++i) status = line.feed("data: 3456", ignore);
  ASSERT_FALSE(status);
  EXPECT_THAT(status, IsErrorAbout(ErrorCode::TooLarge, "line"));
  SseReader event(100);
  status = {};
  for (int i = 0; i < 40 && status; ++i) status = event.feed("data: 3456\n", ignore);
  EXPECT_THAT(status, IsErrorAbout(ErrorCode::TooLarge, "event"));
}

TEST(Sse, StopsAtTheFirstErrorOfItsReader) {
  SseReader reader;
  int calls = 0;
  const Result<> status = reader.feed("data: a\n\ndata: b\n\n", [&](const SseEvent&) -> Result<> {
    ++calls;
    return fail("enough");
  });
  EXPECT_FALSE(status);
  EXPECT_EQ(calls, 1);
}

RC_GTEST_PROP(Sse, PiecesDoNotMatter, (const std::vector<std::uint8_t>& picks)) {
  const std::string alphabet = "dat:\r\n \xE2\x82";
  std::string stream;
  for (const std::uint8_t pick : picks) {
    if (pick % 5 == 0) stream += "data: x";
    stream += alphabet[pick % alphabet.size()];
  }
  std::vector<std::string> bytes;
  for (const char c : stream) bytes.emplace_back(1, c);
  RC_ASSERT(read({stream}) == read(bytes));
}

}  // namespace
}  // namespace kw::net
