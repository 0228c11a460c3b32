// Honest kernel: chooses a loop by what the processor supports.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// arch: x86_64
__attribute__((target("avx2,fma"))) static void wide(int n, float a, const float* x, float* y) {
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}
static void plain(int n, float a, const float* x, float* y) {
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}
void saxpy(int n, float a, const float* x, float* y) {
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    wide(n, a, x, y);
  else
    plain(n, a, x, y);
}
