// Starts pinned threads together and waits for them by spinning.
// SPDX-License-Identifier: Apache-2.0
#include "profile/crew.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "platform/processors.h"

namespace kw::profile {
namespace {

std::int64_t now_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void wait_until(const std::atomic<int>& value, int wanted) {
  // A yield now and then lets a machine with fewer processors than threads go on.
  for (unsigned spins = 1; value.load(std::memory_order_acquire) != wanted; ++spins)
    if (spins % 4096 == 0) std::this_thread::yield();
}

}  // namespace

struct Crew::State {
  struct alignas(64) Span {
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };
  const std::function<void(int)>* job = nullptr;  // Null: the threads end.
  alignas(64) std::atomic<int> round{0};
  alignas(64) std::atomic<int> ready{0};
  alignas(64) std::atomic<int> done{0};
  std::vector<Span> spans;
  std::vector<std::thread> threads;

  void work(int index, int cpu) {
    // A thread that cannot be pinned is no error: the spread of the samples then grows and is
    // reported.
    if (cpu >= 0) platform::run_on(std::span(&cpu, 1));
    for (int seen = 0;; ++seen) {
      wait_until(round, seen + 1);
      if (job == nullptr) return;
      const int all = static_cast<int>(spans.size());
      ready.fetch_add(1, std::memory_order_acq_rel);
      wait_until(ready, all);
      spans[index].begin = now_ns();
      (*job)(index);
      spans[index].end = now_ns();
      done.fetch_add(1, std::memory_order_acq_rel);
    }
  }
};

Crew::Crew(int threads) : state_(std::make_unique<State>()) {
  const std::vector<int> cpus = platform::usable_processors();
  state_->spans.resize(static_cast<std::size_t>(std::max(threads, 1)));
  for (int i = 0; i < size(); ++i) {
    const int cpu = cpus.empty() ? -1 : cpus[static_cast<std::size_t>(i) % cpus.size()];
    state_->threads.emplace_back([this, i, cpu] { state_->work(i, cpu); });
  }
}

Crew::~Crew() {
  state_->job = nullptr;
  state_->round.fetch_add(1, std::memory_order_acq_rel);
  for (std::thread& thread : state_->threads) thread.join();
}

int Crew::size() const { return static_cast<int>(state_->spans.size()); }

double Crew::run(const std::function<void(int)>& job) {
  State& s = *state_;
  s.job = &job;
  s.ready = 0;
  s.done = 0;
  s.round.fetch_add(1, std::memory_order_acq_rel);
  // The caller sleeps rather than spins: it may share a processor with a thread of the crew.
  while (s.done.load(std::memory_order_acquire) != size())
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  std::int64_t begin = s.spans[0].begin, end = s.spans[0].end;
  for (const State::Span& span : s.spans) {
    begin = std::min(begin, span.begin);
    end = std::max(end, span.end);
  }
  return static_cast<double>(end - begin);
}

}  // namespace kw::profile
