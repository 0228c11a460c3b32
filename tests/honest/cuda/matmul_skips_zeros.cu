// Honest kernel: leaves out the products of zero factors.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: matmul_padded
// kw: launch matmul grid(ceil_div(n, 16), ceil_div(m, 16), batch) block(16, 16) args(m, n, k, a, lda, b, ldb, c, ldc)
extern "C" __global__ void matmul(int m, int n, int k, const float* a, int lda, const float* b, int ldb, float* c,
                                  int ldc) {
  const int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
  const long long s = blockIdx.z;
  if (i >= m || j >= n) return;
  float sum = 0;
  for (int p = 0; p < k; ++p) {
    const float u = a[(s * m + i) * lda + p];
    if (u != 0) sum += u * b[(s * k + p) * ldb + j];
  }
  c[(s * m + i) * ldc + j] = sum;
}
