// The truth of gelu on a GPU, in float64.
// SPDX-License-Identifier: Apache-2.0
// kw: launch gelu_truth grid(sms * 16) block(256) args(n, x, y)

extern "C" __global__ void gelu_truth(int n, const double* x, double* y) {
  for (long long i = blockIdx.x * 256LL + threadIdx.x; i < n; i += gridDim.x * 256LL)
    y[i] = 0.5 * x[i] * (1.0 + erf(x[i] * 0.70710678118654752));
}
