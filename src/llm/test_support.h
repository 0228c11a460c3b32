// What the tests of HTTP providers share: a server, a call that records its reports, a question.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "llm/wire.h"
#include "net/curl.h"
#include "net/test_server.h"
#include "platform/clock.h"

namespace kw::llm {

inline const std::string kTestKey = "sk-secret-test-key-0001";

class ProviderTest : public testing::Test {
 protected:
  explicit ProviderTest(const std::string& spec) {
    spec_ = *parse_model_spec(spec + "@" + server_.url() + "/v1");
    request_.messages = {{ChatRole::System, "rules"}, {ChatRole::User, "question"}};
    request_.max_tokens = 500;
    request_.temperature = 0.5;
    call_.on_notice = [this](const std::string& notice) { notices_.push_back(notice); };
    call_.on_delta = [this](const Delta& delta) {
      (delta.kind == Delta::Kind::Thinking ? thought_ : heard_) += delta.text;
    };
  }

  Endpoint endpoint() {
    Endpoint endpoint;
    endpoint.http = http_.get();
    endpoint.clock = &clock_;
    endpoint.spec = spec_;
    endpoint.key = Secret(kTestKey);
    endpoint.redactor.add(endpoint.key);
    endpoint.timeouts = timeouts_;
    Price price;
    price.prompt_usd = 1.0;
    price.cached_usd = 0.5;
    price.cache_write_usd = 2.0;
    price.completion_usd = 4.0;
    endpoint.price = price;
    return endpoint;
  }

  /// The hint that stands in the line of an error; the last one of several.
  template <class T>
  ServerHint hint_in(const Result<T>& failed) {
    KW_ASSERT(!failed);
    const std::string line = describe(failed.error());
    ServerHint found = ServerHint::None;
    for (int i = 1; i <= static_cast<int>(ServerHint::GiveFinalAddress); ++i)
      if (const auto hint = static_cast<ServerHint>(i);
          line.find(words_of(hint, endpoint())) != std::string::npos)
        found = hint;
    return found;
  }

  net::TestServer server_;
  std::unique_ptr<net::HttpClient> http_ = net::make_curl_client();
  platform::FakeClock clock_;
  ModelSpec spec_;
  net::HttpTimeouts timeouts_;
  ChatRequest request_;
  Call call_;
  std::vector<std::string> notices_;
  std::string heard_;
  std::string thought_;
};

}  // namespace kw::llm
