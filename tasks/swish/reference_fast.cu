// The truth of swish on a GPU, in float64.
// SPDX-License-Identifier: Apache-2.0
// kw: launch swish_truth grid(sms * 16) block(256) args(n, beta, x, y)

extern "C" __global__ void swish_truth(int n, double beta, const double* x, double* y) {
  for (long long i = blockIdx.x * 256LL + threadIdx.x; i < n; i += gridDim.x * 256LL)
    y[i] = x[i] / (1.0 + exp(-beta * x[i]));
}
