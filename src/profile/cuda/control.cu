// The positive controls of compute-sanitizer: one kernel per tool with the defect that it is there
// to find. Each is launched with one block of 64 threads; `x` holds 64 floats, and so does `raw`,
// which nobody ever wrote.
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void kw_control_memcheck(float* x, const float*) {
  if (threadIdx.x == 0) x[64] = 1.f;
}

// A race between two warps: no barrier separates what one writes from what the other reads.
extern "C" __global__ void kw_control_racecheck(float* x, const float*) {
  __shared__ float shared[64];
  shared[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = shared[63 - threadIdx.x];
}

extern "C" __global__ void kw_control_initcheck(float* x, const float* raw) {
  if (threadIdx.x == 0) x[0] = raw[0];
}

// One lane of each warp waits with lanes that do not expect it. (A barrier that a part of the block
// never reaches is no error to synccheck of 2025.3 on an H200 where that part has ended.)
extern "C" __global__ void kw_control_synccheck(float* x, const float*) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned mask = __ballot_sync(0xffffffffu, lane < 16);
  if (lane <= 16) {
    __syncwarp(mask);
    x[threadIdx.x] = 1.f;
  }
}
