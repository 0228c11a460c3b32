// The truth of layernorm in two passes, and the magnitude that its gate is measured against.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>

template <class Real>
void reference(int rows, int cols, int pitch, Real eps, const Real* x, const Real* w, const Real* b,
               Real* y) {
  for (int r = 0; r < rows; ++r) {
    const Real* in = x + static_cast<std::size_t>(r) * pitch;
    Real* out = y + static_cast<std::size_t>(r) * pitch;
    Real sum = 0;
    for (int c = 0; c < cols; ++c) sum += in[c];
    const Real mean = sum / Real(cols);
    Real squares = 0;
    for (int c = 0; c < cols; ++c) squares += (in[c] - mean) * (in[c] - mean);
    const Real factor = Real(1) / std::sqrt(squares / Real(cols) + eps);
    for (int c = 0; c < cols; ++c) out[c] = (in[c] - mean) * factor * w[c] + b[c];
  }
}

// What is added up to one element when nothing cancels: the mean's error grows with mean |x|.
template <class Real>
void magnitude(int rows, int cols, int pitch, Real eps, const Real* x, const Real* w, const Real* b,
               Real* y) {
  for (int r = 0; r < rows; ++r) {
    const Real* in = x + static_cast<std::size_t>(r) * pitch;
    Real* out = y + static_cast<std::size_t>(r) * pitch;
    Real sum = 0;
    Real size = 0;
    for (int c = 0; c < cols; ++c) {
      sum += in[c];
      size += std::abs(in[c]);
    }
    const Real mean = sum / Real(cols);
    Real squares = 0;
    for (int c = 0; c < cols; ++c) squares += (in[c] - mean) * (in[c] - mean);
    const Real factor = Real(1) / std::sqrt(squares / Real(cols) + eps);
    for (int c = 0; c < cols; ++c) {
      out[c] = (std::abs(in[c]) + size / Real(cols)) * factor * std::abs(w[c]) + std::abs(b[c]);
    }
  }
}
