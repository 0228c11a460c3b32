// The plain loop as one contiguous share for each thread, vectorised by the compiler.
// SPDX-License-Identifier: Apache-2.0
// kw: technique vectorization, threads
void saxpy(int n, float a, const float* x, float* y) {
#pragma omp parallel for simd schedule(static)
  for (int i = 0; i < n; ++i) y[i] = a * x[i] + y[i];
}
