// saxpy in whole vectors, several of each operand in flight per thread.
// SPDX-License-Identifier: Apache-2.0
// kw: technique vectorization, loads in flight
// kw: tune VECTORS = 1, 2, 4
// kw: tune THREADS = 512, 256, 1024
// kw: let BLOCK = THREADS * VECTORS * 4
// kw: launch saxpy_streamed grid(ceil_div(n, BLOCK)) block(THREADS) args(n, a, x, y)

extern "C" __global__ void __launch_bounds__(THREADS)
    saxpy_streamed(int n, float a, const float* __restrict__ x, float* __restrict__ y) {
  const long long first = static_cast<long long>(blockIdx.x) * BLOCK;
  if (n - first < BLOCK) {
    for (long long i = first + threadIdx.x; i < n; i += THREADS) y[i] = a * x[i] + y[i];
    return;
  }
  const float4* in = reinterpret_cast<const float4*>(x + first) + threadIdx.x;
  float4* out = reinterpret_cast<float4*>(y + first) + threadIdx.x;
  float4 u[VECTORS], v[VECTORS];
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) {
    u[k] = in[k * THREADS];
    v[k] = out[k * THREADS];
  }
#pragma unroll
  for (int k = 0; k < VECTORS; ++k) {
    out[k * THREADS] = make_float4(a * u[k].x + v[k].x, a * u[k].y + v[k].y,
                                   a * u[k].z + v[k].z, a * u[k].w + v[k].w);
  }
}
