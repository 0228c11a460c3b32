// Honest kernel: uses threads of POSIX, created and joined within the call.
// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
struct Part {
  int begin, end;
  float a;
  const float* x;
  float* y;
};
static void* work(void* argument) {
  const Part* p = static_cast<Part*>(argument);
  for (int i = p->begin; i < p->end; ++i) p->y[i] += p->a * p->x[i];
  return nullptr;
}
void saxpy(int n, float a, const float* x, float* y) {
  Part lower{0, n / 2, a, x, y}, upper{n / 2, n, a, x, y};
  pthread_t thread;
  if (pthread_create(&thread, nullptr, work, &lower) != 0) {
    work(&lower);
    work(&upper);
    return;
  }
  work(&upper);
  pthread_join(thread, nullptr);
}
