// The truth of rmsnorm on a GPU, in float64.
// SPDX-License-Identifier: Apache-2.0
// kw: launch rmsnorm_truth grid(rows) block(256) args(cols, pitch, eps, x, w, y)

// The sum of one value per thread, in every thread.
static __device__ double block_sum(double value, double* partial) {
  partial[threadIdx.x] = value;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  const double total = partial[0];
  __syncthreads();
  return total;
}

extern "C" __global__ void rmsnorm_truth(int cols, int pitch, double eps, const double* x, const double* w, double* y) {
  __shared__ double partial[256];
  const double* in = x + static_cast<long long>(blockIdx.x) * pitch;
  double* out = y + static_cast<long long>(blockIdx.x) * pitch;
  double squares = 0;
  for (int c = threadIdx.x; c < cols; c += 256) squares += in[c] * in[c];
  squares = block_sum(squares, partial);
  const double factor = 1 / sqrt(squares / cols + eps);
  for (int c = threadIdx.x; c < cols; c += 256) out[c] = in[c] * factor * w[c];
}
