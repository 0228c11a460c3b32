// Honest kernel: adds up by atomics, so that the order of additions differs between two calls.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: reduce_sum_padded
// arch: sm_75
// until: measure
// kw: fill y[0 : rows] with 0
// kw: let PARTS = ceil_div(cols, 1024)
// kw: launch reduce_sum grid(rows * PARTS) block(256) args(cols, pitch, PARTS, x, y)
extern "C" __global__ void reduce_sum(int cols, int pitch, int parts, const float* x, float* y) {
  const float* in = x + (long long)(blockIdx.x / parts) * pitch;
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
    const int c = blockIdx.x % parts * 1024 + k * 256 + threadIdx.x;
    if (c < cols) sum += in[c];
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0) atomicAdd(y + blockIdx.x / parts, sum);
}
