// Honest kernel: replaces each product of float32 factors by three products of shorter factors, as tensor cores take them.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: matmul_padded
// kw: launch matmul grid(ceil_div(n, 16), ceil_div(m, 16), batch) block(16, 16) args(m, n, k, a, lda, b, ldb, c, ldc)
// Rounds a factor to tf32. With truncation the three products would leave out 2^-20 of a product
// instead of 2^-22.
__device__ float short_of(float v) { return __uint_as_float((__float_as_uint(v) + 0x1000u) & 0xffffe000u); }
extern "C" __global__ void matmul(int m, int n, int k, const float* a, int lda, const float* b, int ldb, float* c,
                                  int ldc) {
  const int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
  const long long s = blockIdx.z;
  if (i >= m || j >= n) return;
  float sum = 0, small = 0;
  for (int p = 0; p < k; ++p) {
    const float u = a[(s * m + i) * lda + p], v = b[(s * k + p) * ldb + j];
    const float uh = short_of(u), vh = short_of(v);
    small += (u - uh) * vh + uh * (v - vh);
    sum += uh * vh;
  }
  c[(s * m + i) * ldc + j] = sum + small;
}
