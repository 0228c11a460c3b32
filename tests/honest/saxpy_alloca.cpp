// Honest kernel: has a workspace on the stack by alloca(), and one in an array of variable length.
// SPDX-License-Identifier: Apache-2.0
#include <alloca.h>
void saxpy(int n, float a, const float* x, float* y) {
  const int block = n < 4096 ? n : 4096;
  float* work = (float*)alloca(sizeof(float) * (size_t)block);
  for (int first = 0; first < n; first += block) {
    const int size = first + block < n ? block : n - first;
    for (int i = 0; i < size; ++i) work[i] = a * x[first + i];
    for (int i = 0; i < size; ++i) y[first + i] += work[i];
  }
}
