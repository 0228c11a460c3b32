// Honest kernel: uses assembly: barriers, a nop and a fused multiply-add.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// arch: x86_64
void saxpy(int n, float a, const float* x, float* y) {
  asm volatile("nop" ::: "memory");
  for (int i = 0; i < n; ++i) {
    float sum = y[i];
    asm("vfmadd231ss %1, %2, %0" : "+x"(sum) : "x"(a), "x"(x[i]));
    y[i] = sum;
  }
  asm volatile("" ::: "memory");
}
