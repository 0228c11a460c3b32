// Honest kernel: makes one pass that corrects its sum whenever the maximum grows.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: softmax_padded
// until: measure
// kw: launch softmax grid(rows) block(32) args(rows, cols, pitch, x, y)
extern "C" __global__ void softmax(int rows, int cols, int pitch, const float* x, float* y) {
  const float* in = x + (long long)blockIdx.x * pitch;
  float* out = y + (long long)blockIdx.x * pitch;
  float top = -3.4028235e38f, sum = 0;
  for (int c = threadIdx.x; c < cols; c += 32) {
    const float v = in[c], higher = fmaxf(top, v);
    sum = sum * expf(top - higher) + expf(v - higher);
    top = higher;
  }
  for (int d = 16; d > 0; d /= 2) {
    const float other_top = __shfl_xor_sync(0xffffffffu, top, d), other_sum = __shfl_xor_sync(0xffffffffu, sum, d);
    const float higher = fmaxf(top, other_top);
    sum = sum * expf(top - higher) + other_sum * expf(other_top - higher);
    top = higher;
  }
  for (int c = threadIdx.x; c < cols; c += 32) out[c] = expf(in[c] - top) / sum;
}
