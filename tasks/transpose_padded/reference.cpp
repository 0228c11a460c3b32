// The truth of transpose.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

template <class Real>
void reference(int rows, int cols, const Real* x, int ldx, Real* y, int ldy) {
  for (int c = 0; c < cols; ++c) {
    for (int r = 0; r < rows; ++r) {
      y[static_cast<std::size_t>(c) * ldy + r] = x[static_cast<std::size_t>(r) * ldx + c];
    }
  }
}
