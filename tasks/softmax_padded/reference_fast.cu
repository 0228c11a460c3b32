// The truth of softmax on a GPU, in float64: three passes over each row.
// SPDX-License-Identifier: Apache-2.0
// kw: launch softmax_truth grid(rows) block(256) args(cols, pitch, x, y)

extern "C" __global__ void softmax_truth(int cols, int pitch, const double* x, double* y) {
  __shared__ double partial[256];
  const double* in = x + static_cast<long long>(blockIdx.x) * pitch;
  double* out = y + static_cast<long long>(blockIdx.x) * pitch;
  double largest = in[0];
  for (int c = threadIdx.x; c < cols; c += 256) largest = fmax(largest, in[c]);
  partial[threadIdx.x] = largest;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half)
      partial[threadIdx.x] = fmax(partial[threadIdx.x], partial[threadIdx.x + half]);
    __syncthreads();
  }
  largest = partial[0];
  __syncthreads();
  double sum = 0;
  for (int c = threadIdx.x; c < cols; c += 256) sum += exp(in[c] - largest);
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  sum = partial[0];
  for (int c = threadIdx.x; c < cols; c += 256) out[c] = exp(in[c] - largest) / sum;
}
