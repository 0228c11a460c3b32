// Squares are turned in registers into a tile that waits in a private cache and leaves it as long
// runs of whole lines, around the caches.
// SPDX-License-Identifier: Apache-2.0
// kw: tune STREAM = 1, 0
// kw: tune TILE_ROWS = 128, 256, 512
// kw: tune TILE_COLS = 64, 32, 16
// kw: tune AHEAD = 64, 32, 0
// kw: tune LANES = 16, 8
// kw: require AHEAD < TILE_ROWS
// kw: technique tiling, staging, register_transpose, vectorization, prefetch, nontemporal_stores, threads
#include <stddef.h>

#include <utility>

typedef float Vec __attribute__((vector_size(LANES * 4), may_alias));
typedef float Half __attribute__((vector_size(32), may_alias));

static inline int min_of(int a, int b) { return a < b ? a : b; }

static inline Vec load(const float* from) {
  Vec value;  // copied, because from is aligned to one element only
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}

// Stores a vector to an address aligned to it, around the caches where STREAM says so.
static inline void put(float* to, Vec value) {
#if !STREAM
  *(Vec*)to = value;
#elif defined(__clang__)
  __builtin_nontemporal_store(value, (Vec*)to);
#elif LANES == 16 && defined(__AVX512F__)
  __builtin_ia32_movntps512(to, value);
#else
  Half half[LANES / 8];
  __builtin_memcpy(half, &value, sizeof value);
  for (int i = 0; i < LANES / 8; ++i) __builtin_ia32_movntps256(to + 8 * i, half[i]);
#endif
}

// Swaps the off-diagonal blocks of size STEP in every 2 STEP x 2 STEP block of the rows a and b.
template <int STEP, int... LANE>
static inline void swap_blocks(Vec& a, Vec& b, std::integer_sequence<int, LANE...>) {
  const Vec upper = __builtin_shufflevector(a, b, (LANE & STEP ? LANE - STEP + LANES : LANE)...);
  b = __builtin_shufflevector(a, b, (LANE & STEP ? LANE + LANES : LANE + STEP)...);
  a = upper;
}

template <int STEP>
static inline void turn(Vec* row) {
#pragma GCC unroll 16
  for (int i = 0; i < LANES; ++i) {
    if ((i & STEP) == 0) {
      swap_blocks<STEP>(row[i], row[i + STEP], std::make_integer_sequence<int, LANES>());
    }
  }
  if constexpr (STEP > 1) turn<STEP / 2>(row);
}

// rows x cols of x as cols rows of TILE_ROWS elements. Rows are fetched AHEAD rows before they are
// turned; those of the next tile follow the last ones of this.
static void stage(const float* x, int ldx, int rows, int cols, float* staged, const float* next) {
  for (int r = 0; r < rows; r += LANES) {
    for (int c = 0; c < cols; c += LANES) {
      const float* from = x + (size_t)r * ldx + c;
      float* to = staged + c * TILE_ROWS + r;
#if AHEAD
      const float* ahead = r + AHEAD < rows ? from + (size_t)AHEAD * ldx
                                            : next + (size_t)(r + AHEAD - rows) * ldx + c;
      for (int i = 0; i < LANES; ++i) __builtin_prefetch(ahead + (size_t)i * ldx, 0, 2);
#endif
      if (r + LANES <= rows && c + LANES <= cols) {
        Vec row[LANES];
#pragma GCC unroll 16
        for (int i = 0; i < LANES; ++i) row[i] = load(from + (size_t)i * ldx);
        turn<LANES / 2>(row);
#pragma GCC unroll 16
        for (int i = 0; i < LANES; ++i) *(Vec*)(to + i * TILE_ROWS) = row[i];
      } else {
        for (int i = 0; i < min_of(LANES, rows - r); ++i) {
          for (int j = 0; j < min_of(LANES, cols - c); ++j) {
            to[j * TILE_ROWS + i] = from[(size_t)i * ldx + j];
          }
        }
      }
    }
  }
}

static void write_run(const float* from, int count, float* to) {
  int i = 0;
  for (; i < count && ((size_t)(to + i) & (LANES * 4 - 1)) != 0; ++i) to[i] = from[i];
  for (; i + LANES <= count; i += LANES) put(to + i, load(from + i));
  for (; i < count; ++i) to[i] = from[i];
}

void transpose(int rows, int cols, const float* x, int ldx, float* y, int ldy) {
#pragma omp parallel
  {
    alignas(64) float staged[TILE_ROWS * TILE_COLS];
#pragma omp for collapse(2) schedule(static)
    for (int r = 0; r < rows; r += TILE_ROWS) {
      for (int c = 0; c < cols; c += TILE_COLS) {
        const int height = min_of(TILE_ROWS, rows - r), width = min_of(TILE_COLS, cols - c);
        const float* tile = x + (size_t)r * ldx + c;
        const float* next =
            c + TILE_COLS < cols ? tile + TILE_COLS : x + (size_t)(r + height) * ldx;
        stage(tile, ldx, height, width, staged, next);
        for (int i = 0; i < width; ++i) {
          write_run(staged + i * TILE_ROWS, height, y + (size_t)(c + i) * ldy + r);
        }
      }
    }
    __builtin_ia32_sfence();  // streamed stores are ordered before the threads join
  }
}
