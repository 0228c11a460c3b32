// Honest kernel: lets four blocks share each tile and add by atomics.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: matmul_padded
// kw: let PARTS = 4
// kw: launch clear grid(ceil_div(n, 16), ceil_div(m, 16), batch) block(16, 16) args(m, n, c, ldc)
// kw: launch matmul grid(ceil_div(n, 16), ceil_div(m, 16), batch * PARTS) block(16, 16) args(
// kw:   m, n, k, a, lda, b, ldb, c, ldc)
extern "C" __global__ void clear(int m, int n, float* c, int ldc) {
  const int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
  if (i < m && j < n) c[((long long)blockIdx.z * m + i) * ldc + j] = 0;
}
extern "C" __global__ void matmul(int m, int n, int k, const float* a, int lda, const float* b, int ldb, float* c,
                                  int ldc) {
  const int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
  const long long s = blockIdx.z / PARTS;
  if (i >= m || j >= n) return;
  float sum = 0;
  for (int p = blockIdx.z % PARTS; p < k; p += PARTS) sum += a[(s * m + i) * lda + p] * b[(s * k + p) * ldb + j];
  atomicAdd(c + (s * m + i) * ldc + j, sum);
}
