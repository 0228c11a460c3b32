// Honest kernel: uses a thread that waits for work by spinning for half a millisecond before it sleeps.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

namespace {

struct Work {
  int from, end;
  float a;
  const float* x;
  float* y;
};
Work half;
std::atomic<int> asked{0}, done{0};

void run(const Work& w) {
  for (int i = w.from; i < w.end; ++i) w.y[i] += w.a * w.x[i];
}

void serve() {
  for (int seen = 0;;) {
    for (int spins = 0; asked.load() == seen; ++spins) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
      if (spins > 10000) asked.wait(seen);
    }
    seen = asked.load();
    run(half);
    done.store(seen);
  }
}

}  // namespace

void saxpy(int n, float a, const float* x, float* y) {
  static std::thread* helper = new std::thread(serve);
  (void)helper;
  half = {n / 2, n, a, x, y};
  const int turn = asked.fetch_add(1) + 1;
  asked.notify_one();
  run({0, n / 2, a, x, y});
  while (done.load() != turn) {
  }
}
