// Honest kernel: uses a helper thread that POSIX semaphores wake and that answers by one.
// SPDX-License-Identifier: Apache-2.0
#include <semaphore.h>

#include <thread>
void saxpy(int n, float a, const float* x, float* y) {
  sem_t go, done;
  sem_init(&go, 0, 0);
  sem_init(&done, 0, 0);
  std::thread helper([&] {
    sem_wait(&go);
    for (int i = n / 2; i < n; ++i) y[i] += a * x[i];
    sem_post(&done);
  });
  sem_post(&go);
  for (int i = 0; i < n / 2; ++i) y[i] += a * x[i];
  sem_wait(&done);
  helper.join();
  sem_destroy(&go);
  sem_destroy(&done);
}
