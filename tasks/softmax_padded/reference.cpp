// The truth of softmax: three passes over each row, shifted by the row's maximum.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>

template <class Real>
void reference(int rows, int cols, int pitch, const Real* x, Real* y) {
  for (int r = 0; r < rows; ++r) {
    const Real* in = x + static_cast<std::size_t>(r) * pitch;
    Real* out = y + static_cast<std::size_t>(r) * pitch;
    Real largest = in[0];
    for (int c = 1; c < cols; ++c) largest = in[c] > largest ? in[c] : largest;
    Real sum = 0;
    for (int c = 0; c < cols; ++c) {
      out[c] = std::exp(in[c] - largest);
      sum += out[c];
    }
    for (int c = 0; c < cols; ++c) out[c] /= sum;
  }
}
