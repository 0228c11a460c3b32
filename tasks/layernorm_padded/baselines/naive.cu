// layernorm, one block per row: a pass for the mean, one for the variance, one to write.
// SPDX-License-Identifier: Apache-2.0
// kw: launch layernorm_naive grid(rows) block(256) args(cols, pitch, eps, x, w, b, y)

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

extern "C" __global__ void layernorm_naive(int cols, int pitch, float eps, const float* x, const float* w,
                                  const float* b, float* y) {
  __shared__ float partial[256];
  const float* in = x + static_cast<long long>(blockIdx.x) * pitch;
  float* out = y + static_cast<long long>(blockIdx.x) * pitch;
  float sum = 0;
  for (int c = threadIdx.x; c < cols; c += 256) sum += in[c];
  const float mean = block_sum(sum, partial) / cols;
  float squares = 0;
  for (int c = threadIdx.x; c < cols; c += 256) squares += (in[c] - mean) * (in[c] - mean);
  squares = block_sum(squares, partial);
  const float factor = 1 / sqrtf(squares / cols + eps);
  for (int c = threadIdx.x; c < cols; c += 256) out[c] = (in[c] - mean) * factor * w[c] + b[c];
}
