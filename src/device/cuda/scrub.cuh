// Overwrites what a multiprocessor keeps between two kernels of a context: local memory, registers,
// shared memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Each kernel in this file is launched so that its blocks fill every multiprocessor once, and each
// block waits until all have begun. So no block gets the place of another, and every place is
// overwritten.

/// Number of blocks of all scrubs that have begun since the module was loaded.
static __device__ unsigned kw_scrubs_begun;

/// Waits until `begun` blocks have begun, for at most 20 ms, since a count that somebody else
/// changed must not hang the device.
static __device__ __forceinline__ void await_all(unsigned begun) {
  __syncthreads();
  if (threadIdx.x == 0) {
    const Word patience = 20000000, start = globaltimer();
    atomicAdd(&kw_scrubs_begun, 1u);
    while ((int)(*(volatile unsigned*)&kw_scrubs_begun - begun) < 0 &&
           globaltimer() - start < patience) {
    }
  }
  __syncthreads();
}

/// Overwrites a frame of kBytes in the local memory of each thread. `words` is a quarter of kBytes,
/// passed at run time so that the compiler keeps the frame in memory.
template <int kBytes>
static __device__ __forceinline__ void scrub_frame(unsigned begun, int words) {
  volatile unsigned frame[kBytes / 4];
  await_all(begun);
  for (int i = 0; i < words; ++i) frame[i] = 0;
}

// The frame sizes that src/player/cuda_scrub.cc chooses from: 1 KiB, to which the stack of any
// kernel may grow, alone or with a power of two on top.
extern "C" __launch_bounds__(1024) __global__ void kw_scrub_local_1(unsigned begun, int words) {
  scrub_frame<1 * 1024>(begun, words);
}
extern "C" __launch_bounds__(1024) __global__ void kw_scrub_local_2(unsigned begun, int words) {
  scrub_frame<2 * 1024>(begun, words);
}
extern "C" __launch_bounds__(1024) __global__ void kw_scrub_local_3(unsigned begun, int words) {
  scrub_frame<3 * 1024>(begun, words);
}
extern "C" __launch_bounds__(1024) __global__ void kw_scrub_local_5(unsigned begun, int words) {
  scrub_frame<5 * 1024>(begun, words);
}
extern "C" __launch_bounds__(1024) __global__ void kw_scrub_local_9(unsigned begun, int words) {
  scrub_frame<9 * 1024>(begun, words);
}
extern "C" __launch_bounds__(1024) __global__ void kw_scrub_local_17(unsigned begun, int words) {
  scrub_frame<17 * 1024>(begun, words);
}
extern "C" __launch_bounds__(1024) __global__ void kw_scrub_local_33(unsigned begun, int words) {
  scrub_frame<33 * 1024>(begun, words);
}

/// Overwrites the registers: 256 threads, each with the most registers that a thread can have, hold
/// all registers of a multiprocessor. The values are loaded before the wait and used after it, so
/// that all are live at the same time. `sink` is never written, since `never` is 0.
extern "C" __launch_bounds__(256, 1) __global__ void kw_scrub_registers(unsigned begun, unsigned never,
                                                                        unsigned* sink) {
  constexpr int kKept = 244;
  __shared__ volatile unsigned source[kKept];
  if (threadIdx.x < kKept) source[threadIdx.x] = never;
  __syncthreads();
  unsigned kept[kKept];
#pragma unroll
  for (int i = 0; i < kKept; ++i) kept[i] = source[i];
  await_all(begun);
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < kKept; ++i) sum = (sum ^ kept[i]) * 69069u;
  if (sum != 0) *sink = sum;
}

/// Overwrites shared memory; launched with as much of it as a block may have.
extern "C" __global__ void kw_scrub(unsigned begun, int words) {
  extern __shared__ unsigned shared[];
  volatile unsigned* to = shared;
  await_all(begun);
  for (int i = (int)threadIdx.x; i < words; i += (int)blockDim.x) to[i] = 0;
}
