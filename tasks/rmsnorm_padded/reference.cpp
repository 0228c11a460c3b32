// The truth of rmsnorm.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>

template <class Real>
void reference(int rows, int cols, int pitch, Real eps, const Real* x, const Real* w, Real* y) {
  for (int r = 0; r < rows; ++r) {
    const Real* in = x + static_cast<std::size_t>(r) * pitch;
    Real* out = y + static_cast<std::size_t>(r) * pitch;
    Real squares = 0;
    for (int c = 0; c < cols; ++c) squares += in[c] * in[c];
    const Real factor = Real(1) / std::sqrt(squares / Real(cols) + eps);
    for (int c = 0; c < cols; ++c) out[c] = in[c] * factor * w[c];
  }
}
