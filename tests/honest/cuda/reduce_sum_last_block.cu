// Honest kernel: lets the block that comes last add up what the others left in a workspace.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: reduce_sum_padded
// arch: sm_75
// kw: let PARTS = 16
// kw: workspace partial f32 [PARTS * rows]
// kw: workspace arrived i32 [rows] zeroed
// kw: launch reduce_sum grid(rows, PARTS) block(256) args(cols, pitch, x, y, partial, arrived)
extern "C" __global__ void reduce_sum(int cols, int pitch, const float* x, float* y, float* partial, int* arrived) {
  __shared__ float sums[256];
  __shared__ bool is_last;
  const float* in = x + (long long)blockIdx.x * pitch;
  float sum = 0;
  for (int c = blockIdx.y * 256 + threadIdx.x; c < cols; c += PARTS * 256) sum += in[c];
  sums[threadIdx.x] = sum;
  for (int d = 128; d > 0; d /= 2) {
    __syncthreads();
    if (threadIdx.x < d) sums[threadIdx.x] += sums[threadIdx.x + d];
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x * PARTS + blockIdx.y] = sums[0];
    __threadfence();
    is_last = atomicAdd(arrived + blockIdx.x, 1) == PARTS - 1;
    if (is_last) {
      float all = 0;
      for (int k = 0; k < PARTS; ++k) all += ((volatile float*)partial)[blockIdx.x * PARTS + k];
      y[blockIdx.x] = all;
    }
  }
}
