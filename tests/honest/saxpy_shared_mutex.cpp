// Honest kernel: uses readers and a writer of a table by std::shared_mutex.
// SPDX-License-Identifier: Apache-2.0
#include <mutex>
#include <shared_mutex>
static std::shared_mutex lock;
static float factor;
void saxpy(int n, float a, const float* x, float* y) {
  {
    std::unique_lock writer(lock);
    factor = a;
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (i % 4096 == 0) std::shared_lock reader(lock);
    y[i] += factor * x[i];
  }
}
