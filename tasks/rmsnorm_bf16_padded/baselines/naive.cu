// rmsnorm_bf16 and rmsnorm_f16, one block per row: a pass for the squares, one to write.
// SPDX-License-Identifier: Apache-2.0
// kw: launch rmsnorm_naive grid(rows) block(256) args(cols, pitch, eps, x, w, y)
#include <cuda_bf16.h>
#include <cuda_fp16.h>

using Real = KW_REAL;  // __nv_bfloat16 or __half

// The sum of one value per thread, in every thread.
static __device__ float block_sum(float value, float* partial) {
  partial[threadIdx.x] = value;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  const float total = partial[0];
  __syncthreads();
  return total;
}

extern "C" __global__ void rmsnorm_naive(int cols, int pitch, float eps, const Real* x,
                                         const Real* w, Real* y) {
  __shared__ float partial[256];
  const Real* in = x + static_cast<long long>(blockIdx.x) * pitch;
  Real* out = y + static_cast<long long>(blockIdx.x) * pitch;
  float squares = 0;
  for (int c = threadIdx.x; c < cols; c += 256) squares += float(in[c]) * float(in[c]);
  squares = block_sum(squares, partial);
  const float factor = 1 / sqrtf(squares / cols + eps);
  for (int c = threadIdx.x; c < cols; c += 256) out[c] = Real(float(in[c]) * factor * float(w[c]));
}
