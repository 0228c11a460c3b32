// The truth of swish.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

template <class Real>
void reference(int n, Real beta, const Real* x, Real* y) {
  for (int i = 0; i < n; ++i) y[i] = x[i] / (Real(1) + std::exp(-beta * x[i]));
}
