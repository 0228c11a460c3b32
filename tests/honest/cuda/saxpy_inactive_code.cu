// Honest kernel: has clocks, output, host code and launches in code that is not compiled.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// task: saxpy
// kw: launch saxpy grid(ceil_div(n, 256)) block(256) args(n, a, x, y)
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
#ifdef DEBUG
  if (i == 0) printf("n = %d\n", n);
#endif
#if 0
  long long t = clock64();
  float* more = (float*)malloc(64);
  saxpy<<<1, 1>>>(n, a, x, y);
#endif
  if (i < n) y[i] += a * x[i];
}
#ifdef STANDALONE
int main() { return 0; }
#endif
