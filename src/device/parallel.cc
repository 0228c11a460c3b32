// Runs loops in parallel. Pieces are handed out by an atomic counter, since with a lock two threads
// of equal pace waited for each other again and again.
// SPDX-License-Identifier: Apache-2.0
#include "device/parallel.h"

namespace kw::device {

Parallel::Parallel(int threads) {
  for (int i = 1; i < threads; ++i) helpers_.emplace_back([this] { help(); });
}

Parallel::~Parallel() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  work_.notify_all();
  for (std::thread& t : helpers_) t.join();
}

void Parallel::for_each(std::int64_t pieces, const std::function<void(std::int64_t)>& body) {
  if (pieces <= 1 || helpers_.empty()) {
    for (std::int64_t i = 0; i < pieces; ++i) body(i);
    return;
  }
  std::unique_lock lock(mutex_);
  body_ = &body;
  next_ = 0;
  pieces_ = pieces;
  lock.unlock();
  work_.notify_all();
  take_pieces(body, pieces);
  lock.lock();
  finished_.wait(lock, [this] { return running_ == 0; });
  pieces_ = 0;  // a helper that wakes only now finds no piece
}

void Parallel::take_pieces(const std::function<void(std::int64_t)>& body, std::int64_t pieces) {
  for (std::int64_t i = next_++; i < pieces; i = next_++) body(i);
}

void Parallel::help() {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [this] { return is_ending_ || next_ < pieces_; });
    if (is_ending_) return;
    ++running_;
    const std::function<void(std::int64_t)>& body = *body_;
    const std::int64_t pieces = pieces_;
    lock.unlock();
    take_pieces(body, pieces);
    lock.lock();
    if (--running_ == 0) finished_.notify_one();
  }
}

}  // namespace kw::device
