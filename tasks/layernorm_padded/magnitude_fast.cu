// The magnitude that the gate of layernorm is measured against, on a GPU: sums in which nothing cancels.
// SPDX-License-Identifier: Apache-2.0
// kw: launch layernorm_magnitude grid(rows) block(256) args(cols, pitch, eps, x, w, b, y)

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

extern "C" __global__ void layernorm_magnitude(int cols, int pitch, double eps, const double* x, const double* w,
                                  const double* b, double* y) {
  __shared__ double partial[256];
  const double* in = x + static_cast<long long>(blockIdx.x) * pitch;
  double* out = y + static_cast<long long>(blockIdx.x) * pitch;
  double sum = 0;
  for (int c = threadIdx.x; c < cols; c += 256) sum += in[c];
  const double mean = block_sum(sum, partial) / cols;
  double squares = 0;
  for (int c = threadIdx.x; c < cols; c += 256) squares += (in[c] - mean) * (in[c] - mean);
  squares = block_sum(squares, partial);
  const double factor = 1 / sqrt(squares / cols + eps);
  double size = 0;
  for (int c = threadIdx.x; c < cols; c += 256) size += fabs(in[c]);
  size = block_sum(size, partial);
  for (int c = threadIdx.x; c < cols; c += 256)
    out[c] = (fabs(in[c]) + size / cols) * factor * fabs(w[c]) + fabs(b[c]);
}
