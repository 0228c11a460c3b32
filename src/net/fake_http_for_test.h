// An HttpClient that answers from a list, for tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

inline Result<HttpHead> FakeHttp::send(const HttpRequest& request, const OnBody& on_body,
                                       std::stop_token cancel) {
  FakeAnswer answer;
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
    if (answers_.empty())
      return fail(ErrorCode::Missing, About{"answer"}, "no answer was prepared", request.url,
                  Advice::Stop);
    answer = std::move(answers_.front());
    answers_.pop_front();
  }
  for (const std::string& piece : answer.pieces) {
    if (cancel.stop_requested())
      return fail(ErrorCode::Cancelled, std::string(kCancelled), request.url, Advice::Stop);
    KW_TRY(on_body(answer.head, piece));
  }
  if (answer.ends_with) return std::unexpected(*answer.ends_with);
  return answer.head;
}

}  // namespace kw::net
