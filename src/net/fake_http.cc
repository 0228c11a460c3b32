// Gives the prepared answers of FakeHttp.
// SPDX-License-Identifier: Apache-2.0
#include "net/fake_http.h"

#include <utility>

namespace kw::net {

Result<HttpHead> FakeHttp::send(const HttpRequest& request, const OnBody& on_body,
                                std::stop_token cancel) {
  FakeAnswer answer;
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
    if (answers_.empty()) return fail("no answer was prepared", request.url, Advice::Stop);
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
