// histogram without atomics: every thread counts in bytes of its own and adds them to wider sums
// before they can overflow.
// SPDX-License-Identifier: Apache-2.0
// kw: technique privatization, bank conflict free layout, vectorization, persistent blocks
// kw: tune THREADS = 256, 384, 128
// kw: tune PER_SM = 3, 2, 4
// kw: let TABLE = 64 * THREADS
// kw: require TABLE * 4 + 1024 <= shared_max
// kw: let TURN = THREADS * 240
// kw: fill h with 0
// kw: launch histogram_private grid(min(sms * PER_SM, ceil_div(n, TURN))) block(THREADS) shared(
// kw:   TABLE * 4 + 1024) args(n, x, h)

extern __shared__ float4 dynamic_shared[];

// The byte of key k of thread t lies in word (k / 4) * THREADS + t, so that a thread uses only the
// bank of its lane.
static __device__ __forceinline__ void count(unsigned char* own, unsigned key) {
  unsigned char* place = own + (key >> 2) * (THREADS * 4) + (key & 3u);
  *place = static_cast<unsigned char>(*place + 1);
}

static __device__ __forceinline__ void count4(unsigned char* own, unsigned keys) {
  count(own, keys & 0xffu);
  count(own, keys >> 8 & 0xffu);
  count(own, keys >> 16 & 0xffu);
  count(own, keys >> 24);
}

// Adds all threads' bytes to `sums` and clears them. A warp takes four keys, one word of each thread.
static __device__ void hand_over(unsigned* table, unsigned* sums) {
  __syncthreads();
  const int lane = threadIdx.x % 32;
  for (int quad = threadIdx.x / 32; quad < 64; quad += THREADS / 32) {
    // Two keys share a word, 16 bits each: THREADS / 32 bytes add up to less than 2^16.
    unsigned even = 0, odd = 0;
    for (int t = lane; t < THREADS; t += 32) {
      const unsigned word = table[quad * THREADS + t];
      table[quad * THREADS + t] = 0;
      even += word & 0x00ff00ffu;
      odd += word >> 8 & 0x00ff00ffu;
    }
    unsigned parts[4] = {even & 0xffffu, odd & 0xffffu, even >> 16, odd >> 16};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      for (int far = 16; far > 0; far /= 2)
        parts[k] += __shfl_xor_sync(0xffffffffu, parts[k], far);
      if (lane == k) sums[quad * 4 + k] += parts[k];
    }
  }
  __syncthreads();
}

extern "C" __global__ void __launch_bounds__(THREADS)
    histogram_private(int n, const unsigned char* __restrict__ x, int* __restrict__ h) {
  unsigned* table = reinterpret_cast<unsigned*>(dynamic_shared);
  unsigned* sums = table + TABLE;
  for (int i = threadIdx.x; i < TABLE + 256; i += THREADS) table[i] = 0;
  __syncthreads();
  unsigned char* own = reinterpret_cast<unsigned char*>(table + threadIdx.x);
  // An iteration gives each thread 15 vectors, 240 keys, which is fewer than a byte can count.
  for (long long first = static_cast<long long>(blockIdx.x) * TURN; first < n;
       first += static_cast<long long>(gridDim.x) * TURN) {
    if (first + TURN <= n) {
      const uint4* in = reinterpret_cast<const uint4*>(x + first) + threadIdx.x;
#pragma unroll
      for (int k = 0; k < 15; k += 5) {
        uint4 v[5];
#pragma unroll
        for (int i = 0; i < 5; ++i) v[i] = __ldcs(in + (k + i) * THREADS);
#pragma unroll
        for (int i = 0; i < 5; ++i) {
          count4(own, v[i].x);
          count4(own, v[i].y);
          count4(own, v[i].z);
          count4(own, v[i].w);
        }
      }
    } else {
      for (long long i = first + threadIdx.x; i < n; i += THREADS) count(own, x[i]);
    }
    hand_over(table, sums);
  }
  for (int key = threadIdx.x; key < 256; key += THREADS)
    if (sums[key] != 0) atomicAdd(h + key, static_cast<int>(sums[key]));
}
