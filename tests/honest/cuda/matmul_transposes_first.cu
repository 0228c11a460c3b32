// Honest kernel: transposes the second factor in every call, into a workspace.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: matmul_padded
// kw: workspace turned f32 [batch, n, k]
// kw: launch transpose grid(ceil_div(n, 16), ceil_div(k, 16), batch) block(16, 16) args(n, k, b, ldb, turned)
// kw: launch multiply grid(ceil_div(n, 16), ceil_div(m, 16), batch) block(16, 16) args(m, n, k, a, lda, turned, c, ldc)
extern "C" __global__ void transpose(int n, int k, const float* b, int ldb, float* turned) {
  const int j = blockIdx.x * 16 + threadIdx.x, p = blockIdx.y * 16 + threadIdx.y;
  const long long s = blockIdx.z;
  if (j < n && p < k) turned[(s * n + j) * k + p] = b[(s * k + p) * ldb + j];
}
extern "C" __global__ void multiply(int m, int n, int k, const float* a, int lda, const float* turned, float* c,
                                    int ldc) {
  const int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
  const long long s = blockIdx.z;
  if (i >= m || j >= n) return;
  float sum = 0;
  for (int p = 0; p < k; ++p) sum += a[(s * m + i) * lda + p] * turned[(s * n + j) * k + p];
  c[(s * m + i) * ldc + j] = sum;
}
