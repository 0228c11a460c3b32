// Makes three passes over each row, which the compiler vectorises.
// SPDX-License-Identifier: Apache-2.0
// kw: technique vectorization, threads
#include <math.h>
#include <stddef.h>

void layernorm(int rows, int cols, int pitch, float eps, const float* x, const float* w,
               const float* b, float* y) {
#pragma omp parallel for schedule(static)
  for (int r = 0; r < rows; ++r) {
    const float* in = x + (size_t)r * pitch;
    float* out = y + (size_t)r * pitch;
    float sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
    for (int c = 0; c < cols; ++c) sum += in[c];
    const float mean = sum / (float)cols;
#pragma omp simd reduction(+ : squares)
    for (int c = 0; c < cols; ++c) squares += (in[c] - mean) * (in[c] - mean);
    const float factor = 1.0f / sqrtf(squares / (float)cols + eps);
#pragma omp simd
    for (int c = 0; c < cols; ++c) out[c] = (in[c] - mean) * factor * w[c] + b[c];
  }
}
