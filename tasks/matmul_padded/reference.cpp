// The truth of matmul, and the magnitude sum |a||b| that its gate is measured against.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>

// The order i, p, j keeps the inner loop contiguous, so that it vectorises.
template <class Real>
void reference(int batch, int m, int n, int k, const Real* a, int lda, const Real* b, int ldb,
               Real* c, int ldc) {
  for (int s = 0; s < batch; ++s) {
    const Real* as = a + static_cast<std::size_t>(s) * m * lda;
    const Real* bs = b + static_cast<std::size_t>(s) * k * ldb;
    Real* cs = c + static_cast<std::size_t>(s) * m * ldc;
    for (int i = 0; i < m; ++i) {
      Real* row = cs + static_cast<std::size_t>(i) * ldc;
      for (int j = 0; j < n; ++j) row[j] = 0;
      for (int p = 0; p < k; ++p) {
        const Real factor = as[static_cast<std::size_t>(i) * lda + p];
        const Real* from = bs + static_cast<std::size_t>(p) * ldb;
        for (int j = 0; j < n; ++j) row[j] += factor * from[j];
      }
    }
  }
}

template <class Real>
void magnitude(int batch, int m, int n, int k, const Real* a, int lda, const Real* b, int ldb,
               Real* c, int ldc) {
  for (int s = 0; s < batch; ++s) {
    const Real* as = a + static_cast<std::size_t>(s) * m * lda;
    const Real* bs = b + static_cast<std::size_t>(s) * k * ldb;
    Real* cs = c + static_cast<std::size_t>(s) * m * ldc;
    for (int i = 0; i < m; ++i) {
      Real* row = cs + static_cast<std::size_t>(i) * ldc;
      for (int j = 0; j < n; ++j) row[j] = 0;
      for (int p = 0; p < k; ++p) {
        const Real factor = std::abs(as[static_cast<std::size_t>(i) * lda + p]);
        const Real* from = bs + static_cast<std::size_t>(p) * ldb;
        for (int j = 0; j < n; ++j) row[j] += factor * std::abs(from[j]);
      }
    }
  }
}
