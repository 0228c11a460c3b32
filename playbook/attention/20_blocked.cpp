// Takes queries and keys in blocks, with a running maximum and sum for each query. Both products
// are register-blocked matrix products, and no score leaves the private cache.
// SPDX-License-Identifier: Apache-2.0
// kw: tune MR = 12, 8, 6
// kw: tune LANES = 16, 8
// kw: tune QUERIES = 8, 4, 16
// kw: tune KEYS = 128, 64, 256
// kw: let NR = LANES * 2
// kw: let QB = MR * QUERIES
// kw: require MR * 2 + 3 <= LANES * 2
// kw: technique online_softmax, packing, register_blocking, cache_blocking, polynomial_approximation, vectorization, threads
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

typedef float Vec __attribute__((vector_size(LANES * 4), may_alias, aligned(4)));
typedef int Ints __attribute__((vector_size(LANES * 4), may_alias, aligned(4)));

static inline int min_of(int a, int b) { return a < b ? a : b; }
static inline Vec all(float value) { return value - Vec{}; }

// 2^t for t <= 0, relative error 2.6e-9 before rounding; never below 2^-126.
static inline Vec exp2_of(Vec t) {
  t = t > -126.0f ? t : all(-126.0f);
  const float shifter = 12582912.0f;  // 1.5 * 2^23: the sum's low bits are the rounded integer
  const Vec shifted = t + shifter;
  const Vec r = t - (shifted - shifter);
  // Interpolates 2^r at the Chebyshev points of [-1/2, 1/2].
  Vec p = all(0.000154614447f);
  p = p * r + 0.00134004282f;
  p = p * r + 0.00961805668f;
  p = p * r + 0.0555032723f;
  p = p * r + 0.240226509f;
  p = p * r + 0.693147207f;
  p = p * r + 1.0f;
  return (Vec)((Ints)p + ((Ints)shifted << 23));
}

// c = a b, or c += a b: MR rows of a, `depth` long and lda apart, times a panel NR wide.
static inline void multiply(const float* a, int lda, const float* panel, int depth, float* c,
                            int ldc, bool adds) {
  Vec sum[MR][2] = {};
  for (int p = 0; p < depth; ++p) {
    const Vec low = *(const Vec*)(panel + (size_t)p * NR);
    const Vec high = *(const Vec*)(panel + (size_t)p * NR + LANES);
#pragma GCC unroll 16
    for (int i = 0; i < MR; ++i) {
      sum[i][0] += a[(size_t)i * lda + p] * low;
      sum[i][1] += a[(size_t)i * lda + p] * high;
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < MR; ++i) {
    Vec* to = (Vec*)(c + (size_t)i * ldc);
    to[0] = adds ? to[0] + sum[i][0] : sum[i][0];
    to[1] = adds ? to[1] + sum[i][1] : sum[i][1];
  }
}

// Turns the scores of one row into weights 2^(s - m), where m is the running maximum of the row,
// and scales what was accumulated for the row. Keys from `seen` on do not count.
static inline void soften(float* score, int width, int seen, float& largest, float& sum, float* acc,
                          int acc_width) {
  for (int j = seen < 0 ? 0 : seen; j < width; ++j) score[j] = -1e30f;
  Vec high = all(largest);
  for (int j = 0; j < width; j += LANES) {
    const Vec s = *(const Vec*)(score + j);
    high = s > high ? s : high;
  }
  float now = high[0];
  for (int i = 1; i < LANES; ++i) now = high[i] > now ? high[i] : now;
  Vec total = {};
  for (int j = 0; j < width; j += LANES) {
    const Vec p = exp2_of(*(const Vec*)(score + j) - now);
    *(Vec*)(score + j) = p;
    total += p;
  }
  if (now > largest) {
    const float factor = exp2_of(all(largest - now))[0];
    sum *= factor;
    for (int d = 0; d < acc_width; d += LANES) *(Vec*)(acc + d) *= factor;
    largest = now;
  }
  for (int i = 0; i < LANES; ++i) sum += total[i];
}

struct Head {
  const float* keys;    // panels of NR keys, each [dim][NR], zero past seq
  const float* values;  // panels of NR columns, each [padded seq][NR], zero past seq and dim
};

// Computes the output of at most QB queries, from i0 on.
static void attend(int seq, int dim, int causal, const float* q, Head head, int i0, float* y,
                   float* scratch) {
  const int rows = min_of(QB, seq - i0), padded = (seq + KEYS - 1) / KEYS * KEYS;
  const int width = (dim + NR - 1) / NR * NR;
  float* query = scratch;  // [QB][dim], scaled
  float* acc = query + (size_t)QB * dim;
  float* score = acc + (size_t)QB * width;
  float largest[QB], sum[QB];
  const float scale = 1.44269504f / sqrtf((float)dim);  // weights are powers of 2 instead of e
  for (int i = 0; i < QB; ++i) {
    largest[i] = -1e30f, sum[i] = 0;
    for (int d = 0; d < dim; ++d) {
      query[i * dim + d] = i < rows ? q[(size_t)(i0 + i) * dim + d] * scale : 0.0f;
    }
    for (int d = 0; d < width; ++d) acc[i * width + d] = 0;
  }
  const int end = causal != 0 ? i0 + rows : seq;
  for (int j0 = 0; j0 < end; j0 += KEYS) {
    const int count = min_of(KEYS, (end - j0 + NR - 1) / NR * NR);
    for (int j = 0; j < count; j += NR) {
      const float* panel = head.keys + (size_t)(j0 + j) * dim;
      for (int i = 0; i < rows; i += MR) {
        multiply(query + i * dim, dim, panel, dim, score + i * KEYS + j, KEYS, false);
      }
    }
    for (int i = 0; i < rows; ++i) {
      const int seen = (causal != 0 ? i0 + i + 1 : seq) - j0;
      soften(score + i * KEYS, count, seen, largest[i], sum[i], acc + i * width, width);
    }
    for (int d = 0; d < width; d += NR) {
      const float* panel = head.values + (size_t)d * padded + (size_t)j0 * NR;
      for (int i = 0; i < rows; i += MR) {
        multiply(score + i * KEYS, KEYS, panel, count, acc + i * width + d, width, true);
      }
    }
  }
  for (int i = 0; i < rows; ++i) {
    const float factor = 1.0f / sum[i];
    for (int d = 0; d < dim; ++d) y[(size_t)(i0 + i) * dim + d] = acc[i * width + d] * factor;
  }
}

// One panel of NR keys, and the same keys' rows in every panel of values.
static void pack(int seq, int dim, int padded, const float* k, const float* v, int j0, float* keys,
                 float* values) {
  for (int d = 0; d < dim; ++d) {
    for (int j = 0; j < NR; ++j) {
      keys[(size_t)j0 * dim + d * NR + j] = j0 + j < seq ? k[(size_t)(j0 + j) * dim + d] : 0.0f;
    }
  }
  const int width = (dim + NR - 1) / NR * NR;
  for (int j = j0; j < j0 + NR; ++j) {
    for (int d = 0; d < width; ++d) {
      values[(size_t)(d / NR * NR) * padded + (size_t)j * NR + d % NR] =
          j < seq && d < dim ? v[(size_t)j * dim + d] : 0.0f;
    }
  }
}

void attention(int heads, int seq, int dim, int causal, const float* q, const float* k,
               const float* v, float* y) {
  const int padded = (seq + KEYS - 1) / KEYS * KEYS, width = (dim + NR - 1) / NR * NR;
  const size_t key_floats = (size_t)padded * dim, value_floats = (size_t)padded * width;
  float* packed = (float*)malloc((key_floats + value_floats) * heads * sizeof(float));
  float* values = packed + key_floats * heads;
  const size_t head_floats = (size_t)seq * dim;
#pragma omp parallel
  {
    float* scratch = (float*)malloc(sizeof(float) * QB * (dim + width + KEYS));
#pragma omp for collapse(2) schedule(static)
    for (int g = 0; g < heads; ++g) {
      for (int j = 0; j < padded; j += NR) {
        pack(seq, dim, padded, k + g * head_floats, v + g * head_floats, j, packed + g * key_floats,
             values + g * value_floats);
      }
    }
#pragma omp for collapse(2) schedule(dynamic)
    for (int g = 0; g < heads; ++g) {
      // in the causal case the longest blocks come first
      for (int block = (seq - 1) / QB; block >= 0; --block) {
        attend(seq, dim, causal, q + g * head_floats,
               {packed + g * key_floats, values + g * value_floats}, block * QB,
               y + g * head_floats, scratch);
      }
    }
    free(scratch);
  }
  free(packed);
}
