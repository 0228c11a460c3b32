// matmul through square tiles of a and b in shared memory, one element of c per thread.
// SPDX-License-Identifier: Apache-2.0
// kw: launch matmul_naive grid(ceil_div(n, 32), ceil_div(m, 32), batch) block(32, 32) args(
// kw:   m, n, k, a, lda, b, ldb, c, ldc)

extern "C" __global__ void matmul_naive(int m, int n, int k, const float* a, int lda,
                                        const float* b, int ldb, float* c, int ldc) {
  __shared__ float as[32][32];
  __shared__ float bs[32][32];
  a += static_cast<long long>(blockIdx.z) * m * lda;
  b += static_cast<long long>(blockIdx.z) * k * ldb;
  c += static_cast<long long>(blockIdx.z) * m * ldc;
  const int i = blockIdx.y * 32 + threadIdx.y;
  const int j = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  for (int first = 0; first < k; first += 32) {
    const int p = first + threadIdx.x;
    const int q = first + threadIdx.y;
    as[threadIdx.y][threadIdx.x] = i < m && p < k ? a[static_cast<long long>(i) * lda + p] : 0;
    bs[threadIdx.y][threadIdx.x] = q < k && j < n ? b[static_cast<long long>(q) * ldb + j] : 0;
    __syncthreads();
    for (int s = 0; s < 32; ++s) sum += as[threadIdx.y][s] * bs[s][threadIdx.x];
    __syncthreads();
  }
  if (i < m && j < n) c[static_cast<long long>(i) * ldc + j] = sum;
}
