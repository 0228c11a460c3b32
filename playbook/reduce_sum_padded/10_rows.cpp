// Gives each thread a row at a time, whose sum the compiler vectorises.
// SPDX-License-Identifier: Apache-2.0
// kw: technique vectorization, threads
#include <stddef.h>

void reduce_sum(int rows, int cols, int pitch, const float* x, float* y) {
#pragma omp parallel for schedule(static)
  for (int r = 0; r < rows; ++r) {
    const float* in = x + (size_t)r * pitch;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int c = 0; c < cols; ++c) sum += in[c];
    y[r] = sum;
  }
}
