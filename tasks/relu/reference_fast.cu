// The truth of relu on a GPU, in float64.
// SPDX-License-Identifier: Apache-2.0
// kw: launch relu_truth grid(sms * 16) block(256) args(n, x, y)

extern "C" __global__ void relu_truth(int n, const double* x, double* y) {
  for (long long i = blockIdx.x * 256LL + threadIdx.x; i < n; i += gridDim.x * 256LL)
    y[i] = x[i] > 0.0 ? x[i] : 0.0;
}
