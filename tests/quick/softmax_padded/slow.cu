// A baseline in which one thread computes each row's sums, so slow that a few timed pairs show any gain.
// SPDX-License-Identifier: Apache-2.0
// kw: launch softmax grid(rows) block(128) args(rows, cols, pitch, x, y)
extern "C" __global__ void softmax(int rows, int cols, int pitch, const float* x, float* y) {
  __shared__ float shared_top, shared_sum;
  const float* in = x + (long long)blockIdx.x * pitch;
  float* out = y + (long long)blockIdx.x * pitch;
  if (threadIdx.x == 0) {
    float top = in[0], sum = 0;
    for (int c = 1; c < cols; ++c) top = fmaxf(top, in[c]);
    for (int c = 0; c < cols; ++c) sum += expf(in[c] - top);
    shared_top = top;
    shared_sum = sum;
  }
  __syncthreads();
  for (int c = threadIdx.x; c < cols; c += 128) out[c] = expf(in[c] - shared_top) / shared_sum;
}
