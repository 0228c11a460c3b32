// Tests of the libcurl client against a local server: streams, timeouts, breaks, cancellation.
// SPDX-License-Identifier: Apache-2.0
#include "net/curl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "base/error_for_test.h"
#include "net/test_server.h"

namespace kw::net {
namespace {

using std::chrono::milliseconds;
using testing::StartsWith;

struct Got {
  Result<HttpHead> head;
  std::string body;
  int pieces = 0;
};

Got send(HttpClient& client, const HttpRequest& request, std::stop_token cancel = {}) {
  Got got{fail("not sent"), {}, 0};
  got.head = client.send(
      request,
      [&](const HttpHead&, std::string_view piece) -> Result<> {
        got.body += piece;
        ++got.pieces;
        return {};
      },
      cancel);
  return got;
}

HttpRequest request_to(const TestServer& server) {
  HttpRequest request;
  request.url = server.url() + "/v1/x?secret=1";
  request.headers = {{"X-Key", "abc"}};
  request.body = "question";
  return request;
}

TEST(Curl, StreamsABodyAndReusesTheClient) {
  TestServer server;
  const auto client = make_curl_client();
  for (int i = 0; i < 3; ++i) {
    server.add({.pieces = {"one ", "two ", "three"}, .headers = {{"X-Answer", "yes"}}});
    const Got got = send(*client, request_to(server));
    ASSERT_TRUE(got.head) << describe(got.head.error());
    EXPECT_EQ(got.head->status, 200);
    EXPECT_EQ(got.head->find("x-answer"), "yes");
    EXPECT_EQ(got.body, "one two three");
  }
  ASSERT_EQ(server.requests().size(), 3u);
  EXPECT_EQ(server.requests()[0].body, "question");
  EXPECT_EQ(server.requests()[0].header("X-Key"), "abc");
}

TEST(Curl, GivesEveryStatusAndFollowsNoRedirect) {
  TestServer server;
  TestServer elsewhere;
  server.add(
      {.status = 302, .headers = {{"Location", elsewhere.url() + "/steal"}}, .is_buffered = true});
  const auto client = make_curl_client();
  const Got got = send(*client, request_to(server));
  ASSERT_TRUE(got.head);
  EXPECT_EQ(got.head->status, 302);
  EXPECT_TRUE(elsewhere.requests().empty());
}

TEST(Curl, SaysWhatTimedOut) {
  TestServer server;
  const auto client = make_curl_client();
  HttpRequest request = request_to(server);
  server.add({.pieces = {"begun"}, .end = TestAnswer::End::Hang});
  request.timeouts.idle = milliseconds(30);
  Got got = send(*client, request);
  ASSERT_FALSE(got.head);
  EXPECT_EQ(got.body, "begun");
  EXPECT_THAT(got.head, IsErrorAbout(ErrorCode::TimedOut, "idle"));
  EXPECT_EQ(got.head.error().advice, Advice::Retry);
  EXPECT_EQ(got.head.error().where, server.url() + "/v1/x");  // the query is left out

  server.add({.pieces = {": keep-alive\n"}, .end = TestAnswer::End::Flood});
  request.timeouts.total = milliseconds(50);
  got = send(*client, request);
  ASSERT_FALSE(got.head);
  EXPECT_THAT(got.head, IsErrorAbout(ErrorCode::TimedOut, "total"));
}

TEST(Curl, TellsABrokenBodyFromAServerThatIsNotThere) {
  std::string gone;
  {
    TestServer server;
    gone = server.url();
    server.add({.pieces = {"half"}, .end = TestAnswer::End::Cut});
    const auto client = make_curl_client();
    const Got got = send(*client, request_to(server));
    ASSERT_FALSE(got.head);
    EXPECT_THAT(got.head, IsErrorAbout(ErrorCode::BrokenReply, "connection"));
    EXPECT_EQ(got.head.error().advice, Advice::Retry);
  }
  const auto client = make_curl_client();
  HttpRequest request;
  request.url = gone;
  const Got got = send(*client, request);
  ASSERT_FALSE(got.head);
  EXPECT_THAT(got.head, IsError(ErrorCode::NoConnection));
  EXPECT_EQ(got.head.error().advice, Advice::Retry);
}

TEST(Curl, EndsAtOnceWhenCancelled) {
  TestServer server;
  server.add({.pieces = {"begun"}, .end = TestAnswer::End::Hang});
  const auto client = make_curl_client();
  std::stop_source stop;
  const auto head = client->send(
      request_to(server),
      [&](const HttpHead&, std::string_view) -> Result<> {
        stop.request_stop();
        return {};
      },
      stop.get_token());
  ASSERT_FALSE(head);
  EXPECT_THAT(head, IsError(ErrorCode::Cancelled));
  EXPECT_EQ(head.error().advice, Advice::Stop);
}

TEST(Curl, WakesFromAnotherThreadsCancellation) {
  TestServer server;
  server.add({.end = TestAnswer::End::Hang});
  const auto client = make_curl_client();
  std::stop_source stop;
  std::jthread canceller([&] {
    while (server.requests().empty()) std::this_thread::yield();
    stop.request_stop();
  });
  const Got got = send(*client, request_to(server), stop.get_token());
  ASSERT_FALSE(got.head);
  EXPECT_THAT(got.head, IsError(ErrorCode::Cancelled));
}

TEST(Curl, StopsAtTheReadersErrorAndAtTheCap) {
  TestServer server;
  const auto client = make_curl_client();
  server.add({.pieces = {"a", "b"}});
  const auto head =
      client->send(request_to(server), [](const HttpHead&, std::string_view) -> Result<> {
        return fail(ErrorCode::TooLarge, About{"enough"}, "the reader has enough");
      });
  ASSERT_FALSE(head);
  EXPECT_THAT(head, IsErrorAbout(ErrorCode::TooLarge, "enough"));

  server.add({.pieces = {std::string(5000, 'x')}});
  HttpRequest request = request_to(server);
  request.max_answer_bytes = 4000;
  const Got got = send(*client, request);
  ASSERT_FALSE(got.head);
  EXPECT_THAT(got.head, IsErrorAbout(ErrorCode::TooLarge, "answer"));
}

TEST(Curl, RefusesWhatCannotBeSent) {
  const auto client = make_curl_client();
  HttpRequest request;
  request.url = "file:///etc/passwd";
  Got got = send(*client, request);
  ASSERT_FALSE(got.head);
  EXPECT_EQ(got.head.error().advice, Advice::Stop);
  request.url = "http://127.0.0.1:1/";
  request.headers = {{"X-Key", "abc\r\nX-Other: injected"}};
  got = send(*client, request);
  ASSERT_FALSE(got.head);
  EXPECT_THAT(got.head, IsErrorAbout(ErrorCode::BadInput, "X-Key"));
  EXPECT_THAT(got.head, IsErrorWithout("abc"));
}

TEST(Url, IsShownWithoutWhatIsSecret) {
  EXPECT_EQ(shown_url("https://me:pass@Host.org:8/a/b?key=1#x"), "https://Host.org:8/a/b");
  EXPECT_EQ(host_of("https://me:pass@Host.org:8/a"), "host.org");
  EXPECT_EQ(host_of("http://[::1]:8000/v1"), "::1");
  EXPECT_TRUE(is_loopback("127.0.0.1"));
  EXPECT_TRUE(is_loopback(host_of("http://localhost:8000")));
  EXPECT_FALSE(is_loopback("example.org"));
}

}  // namespace
}  // namespace kw::net
