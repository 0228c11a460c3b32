// The loop in which kw-worker answers messages.
// SPDX-License-Identifier: Apache-2.0
#include <mutex>

#include "record/codec.h"
#include "worker/frame.h"
#include "worker/worker.h"

namespace kw::worker {

int serve(Worker& worker, int fd) {
  // While a request is judged, the only possible input is a Hurry, or the end of a controller that
  // has gone; both mean to hurry.
  worker.hurry_when([fd] { return has_input(fd); });
  std::mutex writing;  // progress may come from another thread than the reply
  const auto write = [&](const Reply& reply) {
    const std::lock_guard guard(writing);
    return write_frame(fd, encode(reply)).has_value();
  };
  // A failed write is ignored here: a controller that has gone is noticed when the reply is
  // written.
  worker.tell_progress([&](const Progress& progress) {
    Reply news;
    news.is_ok = true;
    news.progress.push_back(progress);
    (void)write(news);
  });
  for (;;) {
    const auto text = read_frame(fd);
    if (!text) return text.error().code == ErrorCode::Ended ? 0 : 3;
    const auto message = decode<Message>(*text);
    if (message && message->verb == Verb::Hurry) continue;
    Reply reply;
    if (message)
      reply = worker.answer(*message);
    else
      reply = reply_of(message.error());
    if (!write(reply)) return 3;
  }
}

int refuse(const Error& why, int fd) {
  if (read_frame(fd)) (void)write_frame(fd, encode(reply_of(why)));
  return 3;
}

}  // namespace kw::worker
