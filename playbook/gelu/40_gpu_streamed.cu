// gelu in whole vectors, several of them in flight per thread.
// SPDX-License-Identifier: Apache-2.0
// kw: technique vectorization, loads in flight
// kw: tune VECTORS = 1, 2, 4
// kw: tune THREADS = 512, 256, 1024
// kw: let BLOCK = THREADS * VECTORS * 4
// kw: launch gelu_streamed grid(ceil_div(n, BLOCK)) block(THREADS) args(n, x, y)

static __device__ __forceinline__ float gelu_of(float x) {
  return 0.5f * x * (1.0f + erff(x * 0.70710678f));
}

extern "C" __global__ void __launch_bounds__(THREADS)
    gelu_streamed(int n, const float* __restrict__ x, float* __restrict__ y) {
  const long long first = static_cast<long long>(blockIdx.x) * BLOCK;
  if (n - first < BLOCK) {
    for (long long i = first + threadIdx.x; i < n; i += THREADS) y[i] = gelu_of(x[i]);
    return;
  }
  const float4* in = reinterpret_cast<const float4*>(x + first) + threadIdx.x;
  float4* out = reinterpret_cast<float4*>(y + first) + threadIdx.x;
  float4 v[VECTORS];
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) v[k] = in[k * THREADS];
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) {
    out[k * THREADS] = make_float4(gelu_of(v[k].x), gelu_of(v[k].y),
                                   gelu_of(v[k].z), gelu_of(v[k].w));
  }
}
