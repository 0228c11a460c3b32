// The truth of softsign.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

template <class Real>
void reference(int n, const Real* x, Real* y) {
  for (int i = 0; i < n; ++i) y[i] = x[i] / (Real(1) + std::abs(x[i]));
}
