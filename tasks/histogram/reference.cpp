// The truth of histogram.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

template <class Real>
void reference(int n, const std::uint8_t* x, std::int32_t* h) {
  for (int k = 0; k < 256; ++k) h[k] = 0;
  for (int i = 0; i < n; ++i) ++h[x[i]];
}
