// Honest kernel: uses threads of POSIX that meet at a barrier, with a stack size of their own.
// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
static struct {
  int n;
  float a;
  const float* x;
  float* y;
  pthread_barrier_t all;
} job;
static void run(int t) {
  for (int i = t; i < job.n; i += 2) job.y[i] += job.a * job.x[i];
  pthread_barrier_wait(&job.all);
}
static void* second(void*) {
  run(1);
  return nullptr;
}
void saxpy(int n, float a, const float* x, float* y) {
  job.n = n, job.a = a, job.x = x, job.y = y;
  pthread_barrier_init(&job.all, nullptr, 2);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 1 << 18);
  pthread_t thread;
  if (pthread_create(&thread, &attributes, second, nullptr) == 0) {
    run(0);
    pthread_join(thread, nullptr);
  } else {
    for (int i = 0; i < n; ++i) y[i] += a * x[i];
  }
  pthread_attr_destroy(&attributes);
  pthread_barrier_destroy(&job.all);
}
