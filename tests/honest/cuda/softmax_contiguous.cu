// Honest kernel: computes one row in each block; rows are contiguous, so the plan names no pitch.
// SPDX-License-Identifier: Apache-2.0
// kw: launch softmax_rows grid(rows) block(256) args(x, y, cols)

extern "C" __global__ void softmax_rows(const float* x, float* y, int cols) {
  __shared__ float shared[256];
  const float* in = x + static_cast<long long>(blockIdx.x) * cols;
  float* out = y + static_cast<long long>(blockIdx.x) * cols;
  float largest = in[0];
  for (int c = threadIdx.x; c < cols; c += 256) largest = fmaxf(largest, in[c]);
  shared[threadIdx.x] = largest;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half)
      shared[threadIdx.x] = fmaxf(shared[threadIdx.x], shared[threadIdx.x + half]);
    __syncthreads();
  }
  largest = shared[0];
  __syncthreads();
  float sum = 0;
  for (int c = threadIdx.x; c < cols; c += 256) sum += expf(in[c] - largest);
  shared[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  sum = shared[0];
  for (int c = threadIdx.x; c < cols; c += 256) out[c] = expf(in[c] - largest) / sum;
}
