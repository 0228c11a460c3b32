// Honest kernel: computes in double precision.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: softmax_padded
// kw: launch softmax grid(rows) block(128) args(rows, cols, pitch, x, y)
extern "C" __global__ void softmax(int rows, int cols, int pitch, const float* x, float* y) {
  __shared__ double top, sum;
  const float* in = x + (long long)blockIdx.x * pitch;
  float* out = y + (long long)blockIdx.x * pitch;
  if (threadIdx.x == 0) {
    top = in[0];
    sum = 0;
    for (int c = 1; c < cols; ++c) top = fmax(top, (double)in[c]);
    for (int c = 0; c < cols; ++c) sum += exp(in[c] - top);
  }
  __syncthreads();
  for (int c = threadIdx.x; c < cols; c += 128) out[c] = (float)(exp(in[c] - top) / sum);
}
