// softmax_bf16 and softmax_f16, one block per row: a pass for the maximum, one for the sum, one to
// write.
// SPDX-License-Identifier: Apache-2.0
// kw: launch softmax_naive grid(rows) block(256) args(cols, pitch, x, y)
#include <cuda_bf16.h>
#include <cuda_fp16.h>

using Real = KW_REAL;  // __nv_bfloat16 or __half

extern "C" __global__ void softmax_naive(int cols, int pitch, const Real* x, Real* y) {
  __shared__ float partial[256];
  const Real* in = x + static_cast<long long>(blockIdx.x) * pitch;
  Real* out = y + static_cast<long long>(blockIdx.x) * pitch;
  float largest = float(in[0]);
  for (int c = threadIdx.x; c < cols; c += 256) largest = fmaxf(largest, float(in[c]));
  partial[threadIdx.x] = largest;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half)
      partial[threadIdx.x] = fmaxf(partial[threadIdx.x], partial[threadIdx.x + half]);
    __syncthreads();
  }
  largest = partial[0];
  __syncthreads();
  float sum = 0;
  for (int c = threadIdx.x; c < cols; c += 256) sum += expf(float(in[c]) - largest);
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  sum = partial[0];
  for (int c = threadIdx.x; c < cols; c += 256) out[c] = Real(expf(float(in[c]) - largest) / sum);
}
