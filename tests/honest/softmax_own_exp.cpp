// Honest kernel: uses a polynomial exp of its own with a table in read-only data; no call of the mathematics library.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: softmax_padded
// until: measure
#include <stdint.h>
#include <string.h>
static const float kCoefficients[] = {1.0f,          1.0f,           0.5f,          0.166666672f,
                                      0.0416666679f, 0.00833333377f, 0.00138888892f};
static inline float own_exp(float v) {
  v = v < -87.0f ? -87.0f : v;
  const float t = v * 1.44269504f;
  const int whole = (int)(t - 0.5f);
  float f = v - (float)whole * 0.693145752f;
  f -= (float)whole * 1.42860677e-6f;
  float sum = kCoefficients[6];
  for (int i = 5; i >= 0; --i) sum = sum * f + kCoefficients[i];
  const uint32_t bits = (uint32_t)(whole + 127) << 23;
  float scale;
  memcpy(&scale, &bits, 4);
  return sum * scale;
}
void softmax(int rows, int cols, int pitch, const float* x, float* y) {
#pragma omp parallel for
  for (int r = 0; r < rows; ++r) {
    const float* in = x + (long)r * pitch;
    float* out = y + (long)r * pitch;
    float largest = in[0], sum = 0;
    for (int c = 1; c < cols; ++c) largest = in[c] > largest ? in[c] : largest;
#pragma omp simd reduction(+ : sum)
    for (int c = 0; c < cols; ++c) {
      out[c] = own_exp(in[c] - largest);
      sum += out[c];
    }
    for (int c = 0; c < cols; ++c) out[c] *= 1 / sum;
  }
}
