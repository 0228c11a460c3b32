// One call of OpenBLAS for each matrix of the batch, with its own threads.
// SPDX-License-Identifier: Apache-2.0
// kw: library openblas
#include <stddef.h>

// Declared by hand from the CBLAS standard: 101 is row-major, 111 is "not transposed".
extern "C" void cblas_sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                            const float* a, int lda, const float* b, int ldb, float beta, float* c,
                            int ldc);

void matmul(int batch, int m, int n, int k, const float* a, int lda, const float* b, int ldb,
            float* c, int ldc) {
  for (int s = 0; s < batch; ++s) {
    cblas_sgemm(101, 111, 111, m, n, k, 1.0f, a + (size_t)s * m * lda, lda, b + (size_t)s * k * ldb,
                ldb, 0.0f, c + (size_t)s * m * ldc, ldc);
  }
}
