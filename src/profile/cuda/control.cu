// The positive controls of compute-sanitizer: one kernel per tool with the defect that it is there
// to find. Each is launched with one block of 64 threads; `x` holds 64 floats, and so does `raw`,
// which nobody ever wrote.
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void kw_control_memcheck(float* x, const float*) {
  if (threadIdx.x == 0) x[64] = 1.f;
}

// Two warps, and no barrier between what one writes and the other reads.
extern "C" __global__ void kw_control_racecheck(float* x, const float*) {
  __shared__ float shared[64];
  shared[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = shared[63 - threadIdx.x];
}

extern "C" __global__ void kw_control_initcheck(float* x, const float* raw) {
  x[threadIdx.x] = raw[threadIdx.x];
}

// Half of the second warp never comes to the barrier; it ends instead, so nobody waits for ever.
extern "C" __global__ void kw_control_synccheck(float* x, const float*) {
  if (threadIdx.x < 48) {
    __syncthreads();
    x[threadIdx.x] = 1.f;
  }
}
