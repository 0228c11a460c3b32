// swish in whole vectors, several of them in flight per thread.
// SPDX-License-Identifier: Apache-2.0
// kw: technique vectorization, loads in flight
// kw: tune VECTORS = 1, 2, 4
// kw: tune THREADS = 512, 256, 1024
// kw: let BLOCK = THREADS * VECTORS * 4
// kw: launch swish_streamed grid(ceil_div(n, BLOCK)) block(THREADS) args(n, beta, x, y)

static __device__ __forceinline__ float swish_of(float x, float beta) {
  // Two roundings of the quotient cost less than the branches of an exact division.
  return __fdividef(x, 1.0f + expf(-beta * x));
}

extern "C" __global__ void __launch_bounds__(THREADS)
    swish_streamed(int n, float beta, const float* __restrict__ x, float* __restrict__ y) {
  const long long first = static_cast<long long>(blockIdx.x) * BLOCK;
  if (n - first < BLOCK) {
    for (long long i = first + threadIdx.x; i < n; i += THREADS) y[i] = swish_of(x[i], beta);
    return;
  }
  const float4* in = reinterpret_cast<const float4*>(x + first) + threadIdx.x;
  float4* out = reinterpret_cast<float4*>(y + first) + threadIdx.x;
  float4 v[VECTORS];
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) v[k] = in[k * THREADS];
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) {
    out[k * THREADS] = make_float4(swish_of(v[k].x, beta), swish_of(v[k].y, beta),
                                   swish_of(v[k].z, beta), swish_of(v[k].w, beta));
  }
}
