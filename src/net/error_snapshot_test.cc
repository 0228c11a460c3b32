// The words of one error of each code that requests over the network give: see
// src/base/error_snapshot_test.cc.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <stop_token>
#include <string>

#include "base/error_for_test.h"
#include "net/curl.h"
#include "net/test_server.h"

namespace kw::net {
namespace {

TEST(ErrorSnapshot, Net) {
  const auto client = make_curl_client();
  const auto ignore = [](const HttpHead&, std::string_view) -> Result<> { return {}; };
  HttpRequest request;
  request.body = "question";
  {
    TestServer server;
    request.url = server.url() + "/v1/x";
    server.add({.pieces = {"half"}, .end = TestAnswer::End::Cut});
    EXPECT_THAT(client->send(request, ignore, {}),
                IsErrorShownAs(
                    ErrorCode::BrokenReply,
                    request.url + ": the connection to the server broke after 4 B of its answer"));
    server.add({.pieces = {"begun"}, .end = TestAnswer::End::Hang});
    request.timeouts.idle = std::chrono::milliseconds(30);
    EXPECT_THAT(
        client->send(request, ignore, {}),
        IsErrorShownAs(ErrorCode::TimedOut,
                       request.url + ": the server's answer stalled: no byte came for 0.03 s"));
    server.add({.pieces = {"begun"}, .end = TestAnswer::End::Hang});
    std::stop_source stop;
    const auto cancel = [&](const HttpHead&, std::string_view) -> Result<> {
      stop.request_stop();
      return {};
    };
    EXPECT_THAT(client->send(request, cancel, stop.get_token()),
                IsErrorShownAs(ErrorCode::Cancelled, request.url + ": cancelled"));
  }
  EXPECT_THAT(make_curl_client()->send(request, ignore, {}),
              IsErrorShownAs(ErrorCode::NoConnection,
                             request.url + ": no connection: no server answers at this address; is "
                                           "the server running?"));
}

}  // namespace
}  // namespace kw::net
