// The truth of matmul_bias_gelu_bf16, and the magnitude |bias| + sum |a||b| that its gate is measured against.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>

template <class Real>
void reference(int m, int n, int k, const Real* a, int lda, const Real* b, int ldb, const Real* bias,
               Real* c, int ldc) {
  for (int i = 0; i < m; ++i) {
    Real* row = c + static_cast<std::size_t>(i) * ldc;
    for (int j = 0; j < n; ++j) row[j] = bias[j];
    for (int p = 0; p < k; ++p) {
      const Real factor = a[static_cast<std::size_t>(i) * lda + p];
      const Real* from = b + static_cast<std::size_t>(p) * ldb;
      for (int j = 0; j < n; ++j) row[j] += factor * from[j];
    }
    // erfc keeps its digits where 1 + erf cancels.
    for (int j = 0; j < n; ++j)
      row[j] = Real(0.5) * row[j] * std::erfc(row[j] * Real(-0.70710678118654752));
  }
}

template <class Real>
void magnitude(int m, int n, int k, const Real* a, int lda, const Real* b, int ldb, const Real* bias,
               Real* c, int ldc) {
  for (int i = 0; i < m; ++i) {
    Real* row = c + static_cast<std::size_t>(i) * ldc;
    for (int j = 0; j < n; ++j) row[j] = std::abs(bias[j]);
    for (int p = 0; p < k; ++p) {
      const Real factor = std::abs(a[static_cast<std::size_t>(i) * lda + p]);
      const Real* from = b + static_cast<std::size_t>(p) * ldb;
      for (int j = 0; j < n; ++j) row[j] += factor * std::abs(from[j]);
    }
  }
}
