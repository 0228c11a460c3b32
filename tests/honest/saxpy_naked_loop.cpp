// Honest kernel: uses a loop written in assembly, with labels and directives.
// SPDX-License-Identifier: Apache-2.0
// Directives of the test (tests/exploits/run --help):
// arch: x86_64
void saxpy(int n, float a, const float* x, float* y) {
  if (n <= 0) return;
  long i = 0;
  float product;
  asm volatile(
      ".p2align 4\n"
      "1:\n\t"
      "vmulss (%[x],%[i],4), %[a], %[p]\n\t"
      "vaddss (%[y],%[i],4), %[p], %[p]\n\t"
      "vmovss %[p], (%[y],%[i],4)\n\t"
      "add $1, %[i]\n\t"
      "cmp %[n], %[i]\n\t"
      "jl 1b"
      : [i] "+r"(i), [p] "=&x"(product)
      : [x] "r"(x), [y] "r"(y), [a] "x"(a), [n] "r"((long)n)
      : "memory", "cc");
}
