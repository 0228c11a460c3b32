// An HttpClient that answers from a list, for tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <mutex>
#include <optional>

#include "net/http.h"

namespace kw::net {

/// One prepared answer: the pieces of the body in order, then success or the error `ends_with`.
struct FakeAnswer {
  HttpHead head{200, {}};
  std::vector<std::string> pieces;
  std::optional<Error> ends_with;
};

/// Gives its answers in order and keeps the requests; a request without a prepared answer fails.
class FakeHttp final : public HttpClient {
 public:
  void add(FakeAnswer answer) { answers_.push_back(std::move(answer)); }
  const std::vector<HttpRequest>& requests() const { return requests_; }

  Result<HttpHead> send(const HttpRequest& request, const OnBody& on_body,
                        std::stop_token cancel = {}) override;

 private:
  std::mutex mutex_;
  std::deque<FakeAnswer> answers_;
  std::vector<HttpRequest> requests_;
};

}  // namespace kw::net
