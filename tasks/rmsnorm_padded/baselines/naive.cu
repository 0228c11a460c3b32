// rmsnorm, one block per row: a pass for the squares, one to write.
// SPDX-License-Identifier: Apache-2.0
// kw: launch rmsnorm_naive grid(rows) block(256) args(cols, pitch, eps, x, w, y)

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

extern "C" __global__ void rmsnorm_naive(int cols, int pitch, float eps, const float* x, const float* w, float* y) {
  __shared__ float partial[256];
  const float* in = x + static_cast<long long>(blockIdx.x) * pitch;
  float* out = y + static_cast<long long>(blockIdx.x) * pitch;
  float squares = 0;
  for (int c = threadIdx.x; c < cols; c += 256) squares += in[c] * in[c];
  squares = block_sum(squares, partial);
  const float factor = 1 / sqrtf(squares / cols + eps);
  for (int c = threadIdx.x; c < cols; c += 256) out[c] = in[c] * factor * w[c];
}
