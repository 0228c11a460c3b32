// matmul_bias_gelu_bf16 and matmul_bias_gelu_f16 by square tiles of a and b in shared memory, one
// element per thread.
// SPDX-License-Identifier: Apache-2.0
// kw: launch matmul_naive grid(ceil_div(n, 32), ceil_div(m, 32)) block(32, 32) args(
// kw:   m, n, k, a, lda, b, ldb, bias, c, ldc)
#include <cuda_bf16.h>
#include <cuda_fp16.h>

using Real = KW_REAL;  // __nv_bfloat16 or __half

extern "C" __global__ void matmul_naive(int m, int n, int k, const Real* a, int lda, const Real* b,
                                        int ldb, const Real* bias, Real* c, int ldc) {
  __shared__ float as[32][32];
  __shared__ float bs[32][32];
  const int i = blockIdx.y * 32 + threadIdx.y;
  const int j = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  for (int first = 0; first < k; first += 32) {
    const int p = first + threadIdx.x;
    const int q = first + threadIdx.y;
    as[threadIdx.y][threadIdx.x] =
        i < m && p < k ? float(a[static_cast<long long>(i) * lda + p]) : 0;
    bs[threadIdx.y][threadIdx.x] =
        q < k && j < n ? float(b[static_cast<long long>(q) * ldb + j]) : 0;
    __syncthreads();
    for (int s = 0; s < 32; ++s) sum += as[threadIdx.y][s] * bs[s][threadIdx.x];
    __syncthreads();
  }
  if (i >= m || j >= n) return;
  sum += float(bias[j]);
  c[static_cast<long long>(i) * ldc + j] = Real(0.5f * sum * erfcf(sum * -0.70710678f));
}
