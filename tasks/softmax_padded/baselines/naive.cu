// softmax, one block per row: a pass for the maximum, one for the sum, one to write.
// SPDX-License-Identifier: Apache-2.0
// kw: launch softmax_naive grid(rows) block(256) args(cols, pitch, x, y)

extern "C" __global__ void softmax_naive(int cols, int pitch, const float* x, float* y) {
  __shared__ float partial[256];
  const float* in = x + static_cast<long long>(blockIdx.x) * pitch;
  float* out = y + static_cast<long long>(blockIdx.x) * pitch;
  float largest = in[0];
  for (int c = threadIdx.x; c < cols; c += 256) largest = fmaxf(largest, in[c]);
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
  for (int c = threadIdx.x; c < cols; c += 256) sum += expf(in[c] - largest);
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  sum = partial[0];
  for (int c = threadIdx.x; c < cols; c += 256) out[c] = expf(in[c] - largest) / sum;
}
