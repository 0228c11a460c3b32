// softmax_bf16, one block per row: a pass for the maximum, one for the sum, one to write.
// SPDX-License-Identifier: Apache-2.0
// kw: launch softmax_naive grid(rows) block(256) args(cols, pitch, x, y)
#include <cuda_bf16.h>

extern "C" __global__ void softmax_naive(int cols, int pitch, const __nv_bfloat16* x,
                                         __nv_bfloat16* y) {
  __shared__ float partial[256];
  const __nv_bfloat16* in = x + static_cast<long long>(blockIdx.x) * pitch;
  __nv_bfloat16* out = y + static_cast<long long>(blockIdx.x) * pitch;
  float largest = __bfloat162float(in[0]);
  for (int c = threadIdx.x; c < cols; c += 256) largest = fmaxf(largest, __bfloat162float(in[c]));
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
  for (int c = threadIdx.x; c < cols; c += 256) sum += expf(__bfloat162float(in[c]) - largest);
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  sum = partial[0];
  for (int c = threadIdx.x; c < cols; c += 256)
    out[c] = __float2bfloat16_rn(expf(__bfloat162float(in[c]) - largest) / sum);
}
