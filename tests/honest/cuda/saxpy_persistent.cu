// Honest kernel: launches a few blocks for each multiprocessor, which walk over all elements.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// until: measure
// kw: launch saxpy grid(sms * 4) block(512) args(n, a, x, y)
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  for (long long i = blockIdx.x * 512ll + threadIdx.x; i < n; i += gridDim.x * 512ll) y[i] += a * x[i];
}
