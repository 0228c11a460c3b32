// histogram in tables of which each lane of a warp has a copy, so that no two additions meet in a
// bank.
// SPDX-License-Identifier: Apache-2.0
// kw: technique privatization, bank conflict free layout, vectorization, persistent blocks
// kw: tune COPIES = 32, 16, 8
// kw: tune THREADS = 512, 1024, 256
// kw: tune PER_SM = 2, 1, 4
// kw: let VECTORS = 4, CHUNK = THREADS * VECTORS * 16
// kw: fill h with 0
// kw: launch histogram_lanes grid(min(sms * PER_SM, ceil_div(n, 1024))) block(THREADS) shared(
// kw:   256 * COPIES * 4) args(n, x, h)

extern __shared__ float4 dynamic_shared[];

// The table is [key][copy]: with 32 copies lane i uses bank i only, whatever the keys are.
static __device__ __forceinline__ void count4(unsigned* own, unsigned keys) {
  atomicAdd(own + (keys & 0xffu) * COPIES, 1u);
  atomicAdd(own + (keys >> 8 & 0xffu) * COPIES, 1u);
  atomicAdd(own + (keys >> 16 & 0xffu) * COPIES, 1u);
  atomicAdd(own + (keys >> 24) * COPIES, 1u);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    histogram_lanes(int n, const unsigned char* __restrict__ x, int* __restrict__ h) {
  unsigned* table = reinterpret_cast<unsigned*>(dynamic_shared);
  for (int i = threadIdx.x; i < 256 * COPIES; i += THREADS) table[i] = 0;
  __syncthreads();
  unsigned* own = table + threadIdx.x % COPIES;
  const long long step = static_cast<long long>(gridDim.x) * CHUNK;
  long long first = static_cast<long long>(blockIdx.x) * CHUNK;
  for (; first + CHUNK <= n; first += step) {
    const uint4* in = reinterpret_cast<const uint4*>(x + first) + threadIdx.x;
    uint4 v[VECTORS];
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) v[k] = __ldcs(in + k * THREADS);
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) {
      count4(own, v[k].x);
      count4(own, v[k].y);
      count4(own, v[k].z);
      count4(own, v[k].w);
    }
  }
  // The last chunk is not whole; `first` is below n only in the block that has this chunk.
  for (long long i = first + threadIdx.x; i < n; i += THREADS) atomicAdd(own + x[i] * COPIES, 1u);
  __syncthreads();
  // A key's copies lie side by side. Neighbouring threads begin at different copies, so that they
  // use different banks.
  for (int key = threadIdx.x; key < 256; key += THREADS) {
    unsigned sum = 0;
    for (int copy = 0; copy < COPIES; ++copy)
      sum += table[key * COPIES + (copy + key) % COPIES];
    if (sum != 0) atomicAdd(h + key, static_cast<int>(sum));
  }
}
