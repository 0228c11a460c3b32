// transpose by cuBLAS: a sum of one transposed matrix and nothing.
// SPDX-License-Identifier: Apache-2.0
// kw: dialect host
// kw: library cublas
#include <cublas_v2.h>

// cuBLAS counts columns first: our x is its cols x rows matrix, our y its rows x cols one.
int transpose(int rows, int cols, const float* x, int ldx, float* y, int ldy,
                         cudaStream_t stream) {
  static cublasHandle_t handle = nullptr;
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  if (handle == nullptr) status = cublasCreate(&handle);
  if (status == CUBLAS_STATUS_SUCCESS) status = cublasSetStream(handle, stream);
  const float one = 1, zero = 0;
  if (status == CUBLAS_STATUS_SUCCESS)
    status = cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, rows, cols, &one, x, ldx, &zero, y, ldy,
                         y, ldy);
  return status == CUBLAS_STATUS_SUCCESS ? 0 : 1000 + status;
}
