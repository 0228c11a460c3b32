// Honest kernel: uses the header <iostream>, which initialises its streams when the object is loaded.
// SPDX-License-Identifier: Apache-2.0
#include <iostream>
void saxpy(int n, float a, const float* x, float* y) {
  if (n < 0) std::cerr << "negative\n";
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}
