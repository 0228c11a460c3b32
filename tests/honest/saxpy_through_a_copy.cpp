// Honest kernel: works in memory that it keeps between calls and copies the result over.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// until: measure
#include <stdlib.h>
#include <string.h>
static float* kept = nullptr;
static size_t capacity = 0;
void saxpy(int n, float a, const float* x, float* y) {
  if (capacity < (size_t)n) {
    free(kept);
    capacity = (size_t)n;
    kept = (float*)aligned_alloc(64, (capacity * sizeof(float) + 63) / 64 * 64);
    if (kept == nullptr) abort();
  }
  memcpy(kept, y, sizeof(float) * (size_t)n);
  for (int i = 0; i < n; ++i) kept[i] += a * x[i];
  memcpy(y, kept, sizeof(float) * (size_t)n);
}
