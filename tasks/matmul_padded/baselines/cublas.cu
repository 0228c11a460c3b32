// One strided batched call of cuBLAS, in float32 throughout.
// SPDX-License-Identifier: Apache-2.0
// kw: dialect host
// kw: library cublas
// kw: let SCRATCH = 67108864
// kw: workspace scratch u8 [SCRATCH]
#include <cublas_v2.h>

// cuBLAS counts columns first, so that it sees the transposes: c^T = b^T a^T. "Pedantic" keeps TF32
// and every other shortcut out.
int matmul(int batch, int m, int n, int k, const float* a, int lda, const float* b,
                      int ldb, float* c, int ldc, void* scratch, cudaStream_t stream) {
  static cublasHandle_t handle = nullptr;
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  if (handle == nullptr) status = cublasCreate(&handle);
  if (status == CUBLAS_STATUS_SUCCESS) status = cublasSetStream(handle, stream);
  // Must be set after the stream, because setting the stream restores cuBLAS's own memory.
  if (status == CUBLAS_STATUS_SUCCESS) status = cublasSetWorkspace(handle, scratch, SCRATCH);
  const float one = 1, zero = 0;
  if (status == CUBLAS_STATUS_SUCCESS)
    status = cublasGemmStridedBatchedEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b,
                                        CUDA_R_32F, ldb, static_cast<long long>(k) * ldb, a,
                                        CUDA_R_32F, lda, static_cast<long long>(m) * lda, &zero, c,
                                        CUDA_R_32F, ldc, static_cast<long long>(m) * ldc, batch,
                                        CUBLAS_COMPUTE_32F_PEDANTIC, CUBLAS_GEMM_DEFAULT);
  return status == CUBLAS_STATUS_SUCCESS ? 0 : 1000 + status;
}
