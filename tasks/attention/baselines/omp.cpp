// The reference loops of attention, queries of all heads shared among the threads.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>

#include <vector>

void attention(int heads, int seq, int dim, int causal, const float* q, const float* k,
               const float* v, float* y) {
  const float scale = 1.0f / sqrtf((float)dim);
#pragma omp parallel
  {
    std::vector<float> p(seq);
#pragma omp for collapse(2)
    for (int g = 0; g < heads; ++g) {
      for (int i = 0; i < seq; ++i) {
        const size_t head = (size_t)g * seq * dim;
        const float* query = q + head + (size_t)i * dim;
        float* out = y + head + (size_t)i * dim;
        const int count = causal != 0 ? i + 1 : seq;
        float largest = 0;
        for (int j = 0; j < count; ++j) {
          float score = 0;
          for (int d = 0; d < dim; ++d) score += query[d] * k[head + (size_t)j * dim + d];
          p[j] = score * scale;
          largest = j == 0 || p[j] > largest ? p[j] : largest;
        }
        float sum = 0;
        for (int j = 0; j < count; ++j) {
          p[j] = expf(p[j] - largest);
          sum += p[j];
        }
        for (int d = 0; d < dim; ++d) out[d] = 0;
        for (int j = 0; j < count; ++j) {
          const float weight = p[j] / sum;
          for (int d = 0; d < dim; ++d) out[d] += weight * v[head + (size_t)j * dim + d];
        }
      }
    }
  }
}
