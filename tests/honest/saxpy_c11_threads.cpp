// Honest kernel: uses threads and mutexes of C11.
// SPDX-License-Identifier: Apache-2.0
#include <threads.h>
static struct {
  int n;
  float a;
  const float* x;
  float* y;
  int next;
  mtx_t lock;
} job;
static int take(void*) {
  for (;;) {
    mtx_lock(&job.lock);
    const int begin = job.next;
    job.next += 4096;
    mtx_unlock(&job.lock);
    if (begin >= job.n) return 0;
    for (int i = begin; i < job.n && i < begin + 4096; ++i) job.y[i] += job.a * job.x[i];
  }
}
void saxpy(int n, float a, const float* x, float* y) {
  job.n = n, job.a = a, job.x = x, job.y = y, job.next = 0;
  mtx_init(&job.lock, mtx_plain);
  thrd_t thread;
  const bool has_second = thrd_create(&thread, take, nullptr) == thrd_success;
  take(nullptr);
  if (has_second) thrd_join(thread, nullptr);
  mtx_destroy(&job.lock);
}
