// Honest kernel: uses one level of Strassen's method where all sizes are even, with seven products of blocks by plain
// loops.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: matmul_padded
#include <vector>
namespace {
struct View {
  const float* at;
  long pitch;
};
using Block = std::vector<float>;
// Computes c = a b, where each matrix may have a pitch.
void multiply(int m, int n, int k, View a, View b, float* c, long ldc) {
#pragma omp parallel for
  for (int i = 0; i < m; ++i) {
    float* row = c + i * ldc;
    for (int j = 0; j < n; ++j) row[j] = 0;
    for (int p = 0; p < k; ++p) {
      const float factor = a.at[i * a.pitch + p];
      const float* from = b.at + p * b.pitch;
      for (int j = 0; j < n; ++j) row[j] += factor * from[j];
    }
  }
}
Block sum(int rows, int cols, View a, View b, float sign) {
  Block out((long)rows * cols);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j)
      out[(long)i * cols + j] = a.at[i * a.pitch + j] + sign * b.at[i * b.pitch + j];
  return out;
}
Block product(int m, int n, int k, View a, View b) {
  Block out((long)m * n);
  multiply(m, n, k, a, b, out.data(), n);
  return out;
}
void strassen(int m, int n, int k, View a, View b, float* c, long ldc) {
  const View a11 = a, a12 = {a.at + k, a.pitch}, a21 = {a.at + m * a.pitch, a.pitch},
             a22 = {a21.at + k, a.pitch};
  const View b11 = b, b12 = {b.at + n, b.pitch}, b21 = {b.at + k * b.pitch, b.pitch},
             b22 = {b21.at + n, b.pitch};
  const auto left = [&](View x, View y, float s) { return sum(m, k, x, y, s); };
  const auto right = [&](View x, View y, float s) { return sum(k, n, x, y, s); };
  const auto as_left = [&](const Block& x) { return View{x.data(), k}; };
  const auto as_right = [&](const Block& x) { return View{x.data(), n}; };
  const Block m1 = product(m, n, k, as_left(left(a11, a22, 1)), as_right(right(b11, b22, 1)));
  const Block m2 = product(m, n, k, as_left(left(a21, a22, 1)), b11);
  const Block m3 = product(m, n, k, a11, as_right(right(b12, b22, -1)));
  const Block m4 = product(m, n, k, a22, as_right(right(b21, b11, -1)));
  const Block m5 = product(m, n, k, as_left(left(a11, a12, 1)), b22);
  const Block m6 = product(m, n, k, as_left(left(a21, a11, -1)), as_right(right(b11, b12, 1)));
  const Block m7 = product(m, n, k, as_left(left(a12, a22, -1)), as_right(right(b21, b22, 1)));
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      const long e = (long)i * n + j;
      c[i * ldc + j] = m1[e] + m4[e] - m5[e] + m7[e];
      c[i * ldc + n + j] = m3[e] + m5[e];
      c[(i + m) * ldc + j] = m2[e] + m4[e];
      c[(i + m) * ldc + n + j] = m1[e] - m2[e] + m3[e] + m6[e];
    }
}
}  // namespace
void matmul(int batch, int m, int n, int k, const float* a, int lda, const float* b, int ldb,
            float* c, int ldc) {
  for (int s = 0; s < batch; ++s, a += (long)m * lda, b += (long)k * ldb, c += (long)m * ldc) {
    if (m % 2 == 0 && n % 2 == 0 && k % 2 == 0)
      strassen(m / 2, n / 2, k / 2, {a, lda}, {b, ldb}, c, ldc);
    else
      multiply(m, n, k, {a, lda}, {b, ldb}, c, ldc);
  }
}
