// The block that comes last adds up what the others left in a workspace.
// SPDX-License-Identifier: Apache-2.0
// task: reduce_sum
// arch: sm_75
// kw: let PARTS = 16
// kw: workspace partial f32 [PARTS * rows]
// kw: workspace arrived i32 [rows] zeroed
// kw: launch reduce_sum grid(PARTS, rows) block(256) args(cols, pitch, x, y, partial, arrived)
extern "C" __global__ void reduce_sum(int cols, int pitch, const float* x, float* y, float* partial, int* arrived) {
  __shared__ float sums[256];
  __shared__ bool is_last;
  const float* in = x + (long long)blockIdx.y * pitch;
  float sum = 0;
  for (int c = blockIdx.x * 256 + threadIdx.x; c < cols; c += PARTS * 256) sum += in[c];
  sums[threadIdx.x] = sum;
  for (int d = 128; d > 0; d /= 2) {
    __syncthreads();
    if (threadIdx.x < d) sums[threadIdx.x] += sums[threadIdx.x + d];
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.y * PARTS + blockIdx.x] = sums[0];
    __threadfence();
    is_last = atomicAdd(arrived + blockIdx.y, 1) == PARTS - 1;
    if (is_last) {
      float all = 0;
      for (int k = 0; k < PARTS; ++k) all += ((volatile float*)partial)[blockIdx.y * PARTS + k];
      y[blockIdx.y] = all;
    }
  }
}
