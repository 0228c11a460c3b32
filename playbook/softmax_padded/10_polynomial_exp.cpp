// Three passes over each row with an exponential that the compiler can vectorise.
// SPDX-License-Identifier: Apache-2.0
// kw: technique vectorization, polynomial_approximation, threads
#include <stddef.h>

// exp for arguments in [-87, 0]; smaller ones give 0. Degree 6 after reduction by ln 2.
static inline float exp_negative(float v) {
  const float x = v < -87.0f ? -87.0f : v;
  const float shifter = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  const float whole = x * 1.44269504f + shifter - shifter;
  const float r = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 0.5f;
  p = p * r * r + r + 1.0f;
  const int bits = ((int)whole + 127) << 23;
  float scale;
  __builtin_memcpy(&scale, &bits, 4);
  return v < -87.0f ? 0.0f : p * scale;
}

void softmax(int rows, int cols, int pitch, const float* x, float* y) {
#pragma omp parallel for schedule(static)
  for (int r = 0; r < rows; ++r) {
    const float* in = x + (size_t)r * pitch;
    float* out = y + (size_t)r * pitch;
    float largest = in[0];
#pragma omp simd reduction(max : largest)
    for (int c = 0; c < cols; ++c) largest = in[c] > largest ? in[c] : largest;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int c = 0; c < cols; ++c) {
      const float e = exp_negative(in[c] - largest);
      out[c] = e;
      sum += e;
    }
    const float factor = 1.0f / sum;
#pragma omp simd
    for (int c = 0; c < cols; ++c) out[c] *= factor;
  }
}
