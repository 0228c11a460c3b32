// The truth of attention_bf16, and the magnitude that its gate is measured against.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <vector>

template <class Real>
void weights_of(int count, int dim, const Real* query, const Real* keys, std::vector<Real>& p) {
  const Real scale = Real(1) / std::sqrt(Real(dim));
  Real largest = 0;
  for (int j = 0; j < count; ++j) {
    Real score = 0;
    for (int d = 0; d < dim; ++d) score += query[d] * keys[static_cast<std::size_t>(j) * dim + d];
    p[j] = score * scale;
    largest = j == 0 || p[j] > largest ? p[j] : largest;
  }
  Real sum = 0;
  for (int j = 0; j < count; ++j) {
    p[j] = std::exp(p[j] - largest);
    sum += p[j];
  }
  for (int j = 0; j < count; ++j) p[j] /= sum;
}

template <class Real>
void reference(int heads, int seq, int dim, int causal, const Real* q, const Real* k, const Real* v,
               Real* y) {
  std::vector<Real> p(seq);
  for (int g = 0; g < heads; ++g) {
    const std::size_t head = static_cast<std::size_t>(g) * seq * dim;
    for (int i = 0; i < seq; ++i) {
      const int count = causal != 0 ? i + 1 : seq;
      Real* out = y + head + static_cast<std::size_t>(i) * dim;
      weights_of(count, dim, q + head + static_cast<std::size_t>(i) * dim, k + head, p);
      for (int d = 0; d < dim; ++d) out[d] = 0;
      for (int j = 0; j < count; ++j) {
        const Real* value = v + head + static_cast<std::size_t>(j) * dim;
        for (int d = 0; d < dim; ++d) out[d] += p[j] * value[d];
      }
    }
  }
}

// The sum of errors of the weights, which are independent of each other like their roundings.
template <class Real>
void magnitude(int heads, int seq, int dim, int causal, const Real* q, const Real* k, const Real* v,
               Real* y) {
  std::vector<Real> p(seq);
  for (int g = 0; g < heads; ++g) {
    const std::size_t head = static_cast<std::size_t>(g) * seq * dim;
    for (int i = 0; i < seq; ++i) {
      const int count = causal != 0 ? i + 1 : seq;
      Real* out = y + head + static_cast<std::size_t>(i) * dim;
      weights_of(count, dim, q + head + static_cast<std::size_t>(i) * dim, k + head, p);
      for (int d = 0; d < dim; ++d) out[d] = 0;
      for (int j = 0; j < count; ++j) {
        const Real* value = v + head + static_cast<std::size_t>(j) * dim;
        for (int d = 0; d < dim; ++d) out[d] += p[j] * value[d] * (p[j] * value[d]);
      }
      for (int d = 0; d < dim; ++d) out[d] = std::sqrt(out[d]);
    }
  }
}
