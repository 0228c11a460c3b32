// Honest kernel: has versions for several processors, of which one is chosen when the object is loaded.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// arch: x86_64
__attribute__((target_clones("avx512f", "avx2", "default"))) static void work(int n, float a,
                                                                              const float* x,
                                                                              float* y) {
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}
void saxpy(int n, float a, const float* x, float* y) { work(n, a, x, y); }
