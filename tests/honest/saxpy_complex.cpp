// Honest kernel: uses std::complex, whose products are calls of the compiler's library.
// SPDX-License-Identifier: Apache-2.0
#include <complex>
void saxpy(int n, float a, const float* x, float* y) {
  const std::complex<float> factor(a, 0);
  for (int i = 0; i < n; ++i) {
    const std::complex<float> product = factor * std::complex<float>(x[i], 0);
    y[i] += product.real();
  }
}
