// Reads each row from memory once and writes it once: exponentials wait in a private cache while
// the next row is fetched and the previous one is written with non-temporal stores.
// SPDX-License-Identifier: Apache-2.0
// kw: tune STREAM = 1, 0
// kw: tune AHEAD = 1, 0
// kw: tune CHUNK = 512, 256, 1024
// kw: tune LANES = 16, 8
// kw: technique vectorization, polynomial_approximation, staging, prefetch, nontemporal_stores, threads
#include <stddef.h>

typedef float Vec __attribute__((vector_size(LANES * 4), may_alias));
typedef int Ints __attribute__((vector_size(LANES * 4), may_alias));

// Rows up to this length are staged: two of 256 KiB stay in a private second-level cache.
static const int kStaged = 65536;

static inline Vec load(const float* from) {
  Vec value;  // copied, because from is aligned to one element only
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}

static inline Vec all(float value) { return value - (Vec){}; }

static inline Vec max_of(Vec a, Vec b) {
#if defined(__AVX512F__) && LANES == 16
  return __builtin_ia32_maxps512_mask(a, b, a, (unsigned short)-1, 4);  // 4: current rounding
#else
  return a > b ? a : b;
#endif
}

// exp for arguments <= 0, relative error 2.6e-9 before rounding. Where exp leaves the normal
// numbers it stays at 2^-126.
static inline Vec exp_negative(Vec x) {
  const Vec t = max_of(x * 1.44269504f, all(-126.0f));
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

static inline float largest_of(Vec v) {
  float lane[LANES];
  __builtin_memcpy(lane, &v, sizeof v);
  float result = lane[0];
  for (int i = 1; i < LANES; ++i) result = lane[i] > result ? lane[i] : result;
  return result;
}

static inline float sum_of(Vec v) {
  float lane[LANES];
  __builtin_memcpy(lane, &v, sizeof v);
  float result = 0;
  for (int i = 0; i < LANES; ++i) result += lane[i];
  return result;
}

// The last cols % LANES elements, filled up with the smallest float.
static inline Vec load_tail(const float* from, int count) {
  float lane[LANES];
  for (int i = 0; i < LANES; ++i) lane[i] = i < count ? from[i] : -3.4e38f;
  return load(lane);
}

static float row_maximum(const float* in, int cols) {
  const int whole = cols / LANES * LANES;
  Vec a = all(-3.4e38f), b = a, c = a, d = a;
  int i = 0;
  for (; i + 4 * LANES <= whole; i += 4 * LANES) {
    a = max_of(a, load(in + i));
    b = max_of(b, load(in + i + LANES));
    c = max_of(c, load(in + i + 2 * LANES));
    d = max_of(d, load(in + i + 3 * LANES));
  }
  for (; i < whole; i += LANES) a = max_of(a, load(in + i));
  if (whole < cols) b = max_of(b, load_tail(in + whole, cols - whole));
  return largest_of(max_of(max_of(a, b), max_of(c, d)));
}

// Stores exp(in - largest) to staged, padded to whole vectors, and returns the sum.
static float exponentials(const float* in, int cols, float largest, float* staged,
                          const float* upcoming) {
  const int whole = cols / LANES * LANES;
  Vec sum = {}, other = {};
  int i = 0;
  for (; i + 2 * LANES <= whole; i += 2 * LANES) {
#if AHEAD
    __builtin_prefetch(upcoming + i);
    __builtin_prefetch(upcoming + i + LANES);
#endif
    const Vec e = exp_negative(load(in + i) - largest);
    const Vec f = exp_negative(load(in + i + LANES) - largest);
    *(Vec*)(staged + i) = e;
    *(Vec*)(staged + i + LANES) = f;
    sum += e;
    other += f;
  }
  for (; i < cols; i += LANES) {
    const Vec x = i < whole ? load(in + i) : load_tail(in + i, cols - i);
    const Vec e = exp_negative(x - largest);
    *(Vec*)(staged + i) = e;
    sum += e;  // the filler in the tail adds 1.6e-38
  }
  return sum_of(sum + other);
}

static void write_scaled(const float* staged, int cols, float factor, float* out) {
  int i = 0;
#if STREAM && (defined(__AVX512F__) || LANES == 8)
  for (; i < cols && ((size_t)(out + i) & (LANES * 4 - 1)) != 0; ++i) out[i] = staged[i] * factor;
  for (; i + LANES <= cols; i += LANES) {
#if LANES == 16
    __builtin_ia32_movntps512(out + i, load(staged + i) * factor);
#else
    __builtin_ia32_movntps256(out + i, load(staged + i) * factor);
#endif
  }
#endif
  for (; i < cols; ++i) out[i] = staged[i] * factor;
}

// Rows too long to stage: the exponentials are computed twice.
static void long_row(const float* in, int cols, float* out, float* staged) {
  const float largest = row_maximum(in, cols);
  float sum = 0;
  for (int c = 0; c < cols; c += kStaged) {
    const int count = cols - c < kStaged ? cols - c : kStaged;
    sum += exponentials(in + c, count, largest, staged, in + c);
  }
  const float factor = 1.0f / sum;
  for (int c = 0; c < cols; c += kStaged) {
    const int count = cols - c < kStaged ? cols - c : kStaged;
    exponentials(in + c, count, largest, staged, in + c);
    write_scaled(staged, count, factor, out + c);
  }
}

void softmax(int rows, int cols, int pitch, const float* x, float* y) {
#pragma omp parallel
  {
    alignas(64) float staged[2][kStaged];
    float* waiting = nullptr;  // target of the previous row, which is still unscaled in `staged`
    float factor = 0;
    int last = 0;
#pragma omp for schedule(static)
    for (int r = 0; r < rows; ++r) {
      const float* in = x + (size_t)r * pitch;
      float* out = y + (size_t)r * pitch;
      if (cols > kStaged) {
        long_row(in, cols, out, staged[0]);
        continue;
      }
      const float largest = row_maximum(in, cols);
      const float* upcoming = r + 1 < rows ? in + pitch : in;
      float sum = 0;
      for (int c = 0; c < cols; c += CHUNK) {
        const int count = cols - c < CHUNK ? cols - c : CHUNK;
        sum += exponentials(in + c, count, largest, staged[r & 1] + c, upcoming + c);
        if (waiting) write_scaled(staged[~r & 1] + c, count, factor, waiting + c);
      }
      waiting = out;
      factor = 1.0f / sum;
      last = r;
    }
    if (waiting) write_scaled(staged[last & 1], cols, factor, waiting);
    __builtin_ia32_sfence();
  }
}
