// Honest kernel: clears the output in a launch of its own before it writes it.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: softmax_padded
// kw: launch clear grid(rows) block(128) args(cols, pitch, y)
// kw: launch softmax grid(rows) block(128) args(rows, cols, pitch, x, y)
extern "C" __global__ void softmax(int rows, int cols, int pitch, const float* x, float* y) {
  const float* in = x + (long long)blockIdx.x * pitch;
  float* out = y + (long long)blockIdx.x * pitch;
  float top = -3.4028235e38f, sum = 0;
  for (int c = 0; c < cols; ++c) top = fmaxf(top, in[c]);
  for (int from = 0; from < cols; from += 256) {  // one sum of 16384 terms would lose precision
    float part = 0;
    for (int c = from; c < min(from + 256, cols); ++c) part += expf(in[c] - top);
    sum += part;
  }
  for (int c = threadIdx.x; c < cols; c += 128) out[c] += expf(in[c] - top) / sum;
}
extern "C" __global__ void clear(int cols, int pitch, float* y) {
  for (int c = threadIdx.x; c < cols; c += 128) y[(long long)blockIdx.x * pitch + c] = 0;
}
