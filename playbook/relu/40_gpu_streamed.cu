// relu in whole vectors, several of them in flight per thread.
// SPDX-License-Identifier: Apache-2.0
// kw: technique vectorization, loads in flight
// kw: tune VECTORS = 1, 2, 4
// kw: tune THREADS = 512, 256, 1024
// kw: let BLOCK = THREADS * VECTORS * 4
// kw: launch relu_streamed grid(ceil_div(n, BLOCK)) block(THREADS) args(n, x, y)

static __device__ __forceinline__ float relu_of(float x) {
  return x > 0.0f ? x : 0.0f;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    relu_streamed(int n, const float* __restrict__ x, float* __restrict__ y) {
  const long long first = static_cast<long long>(blockIdx.x) * BLOCK;
  if (n - first < BLOCK) {
    for (long long i = first + threadIdx.x; i < n; i += THREADS) y[i] = relu_of(x[i]);
    return;
  }
  const float4* in = reinterpret_cast<const float4*>(x + first) + threadIdx.x;
  float4* out = reinterpret_cast<float4*>(y + first) + threadIdx.x;
  float4 v[VECTORS];
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) v[k] = in[k * THREADS];
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) {
    out[k * THREADS] = make_float4(relu_of(v[k].x), relu_of(v[k].y),
                                   relu_of(v[k].z), relu_of(v[k].w));
  }
}
