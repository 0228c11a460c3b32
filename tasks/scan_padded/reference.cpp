// The truth of scan, and how far the plain loop's roundings may carry it.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>

template <class Real>
void reference(int rows, int cols, int pitch, const Real* x, Real* y) {
  for (int r = 0; r < rows; ++r) {
    const Real* in = x + static_cast<std::size_t>(r) * pitch;
    Real* out = y + static_cast<std::size_t>(r) * pitch;
    Real sum = 0;
    for (int c = 0; c < cols; ++c) {
      sum += in[c];
      out[c] = sum;
    }
  }
}

// Every addition rounds its partial sum by u at most, in either direction.
template <class Real>
void magnitude(int rows, int cols, int pitch, const Real* x, Real* y) {
  for (int r = 0; r < rows; ++r) {
    const Real* in = x + static_cast<std::size_t>(r) * pitch;
    Real* out = y + static_cast<std::size_t>(r) * pitch;
    Real sum = 0;
    Real squares = 0;
    for (int c = 0; c < cols; ++c) {
      sum += in[c];
      squares += sum * sum + in[c] * in[c];
      out[c] = std::sqrt(squares);
    }
  }
}
