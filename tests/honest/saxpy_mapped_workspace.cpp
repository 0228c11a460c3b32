// Honest kernel: maps huge pages as a workspace and unmaps them.
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <sys/mman.h>
void saxpy(int n, float a, const float* x, float* y) {
  const size_t bytes = ((size_t)n * sizeof(float) + (2 << 20)) & ~(size_t)4095;
  float* work =
      (float*)mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (work == MAP_FAILED) abort();
  madvise(work, bytes, MADV_HUGEPAGE);
  for (int i = 0; i < n; ++i) work[i] = a * x[i];
  for (int i = 0; i < n; ++i) y[i] += work[i];
  munmap(work, bytes);
}
