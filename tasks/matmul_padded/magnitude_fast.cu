// The magnitude sum |a||b| that the gate of matmul is measured against, on a GPU.
// SPDX-License-Identifier: Apache-2.0
// kw: launch matmul_magnitude grid(ceil_div(n, 64), ceil_div(m, 64), batch) block(16, 16) args(
// kw:   m, n, k, a, lda, b, ldb, c, ldc)

// Four by four elements of c per thread, sixteen apart.
extern "C" __global__ void matmul_magnitude(int m, int n, int k, const double* a, int lda, const double* b,
                                  int ldb, double* c, int ldc) {
  __shared__ double as[64][17];
  __shared__ double bs[16][64];
  a += static_cast<long long>(blockIdx.z) * m * lda;
  b += static_cast<long long>(blockIdx.z) * k * ldb;
  c += static_cast<long long>(blockIdx.z) * m * ldc;
  const int i0 = blockIdx.y * 64;
  const int j0 = blockIdx.x * 64;
  double sum[4][4] = {};
  for (int first = 0; first < k; first += 16) {
    for (int s = 0; s < 4; ++s) {
      const int i = i0 + threadIdx.y + 16 * s;
      const int p = first + threadIdx.x;
      as[threadIdx.y + 16 * s][threadIdx.x] =
          i < m && p < k ? fabs(a[static_cast<long long>(i) * lda + p]) : 0;
      const int q = first + threadIdx.y;
      const int j = j0 + threadIdx.x + 16 * s;
      bs[threadIdx.y][threadIdx.x + 16 * s] =
          q < k && j < n ? fabs(b[static_cast<long long>(q) * ldb + j]) : 0;
    }
    __syncthreads();
    for (int p = 0; p < 16; ++p)
      for (int s = 0; s < 4; ++s)
        for (int t = 0; t < 4; ++t)
          sum[s][t] += as[threadIdx.y + 16 * s][p] * bs[p][threadIdx.x + 16 * t];
    __syncthreads();
  }
  for (int s = 0; s < 4; ++s) {
    const int i = i0 + threadIdx.y + 16 * s;
    for (int t = 0; t < 4; ++t) {
      const int j = j0 + threadIdx.x + 16 * t;
      if (i < m && j < n) c[static_cast<long long>(i) * ldc + j] = sum[s][t];
    }
  }
}
