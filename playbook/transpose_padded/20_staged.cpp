// Squares are transposed in registers into a tile that waits in a private cache. While the next
// tile is read, it is written in whole lines with non-temporal stores.
// SPDX-License-Identifier: Apache-2.0
// kw: tune STREAM = 1, 0
// kw: tune TILE_ROWS = 64, 32, 128
// kw: tune TILE_COLS = 256, 64, 128
// kw: tune AHEAD = 64, 32, 0
// kw: tune CHUNK = 2048, 8192     // rows of a strip that one thread takes, about
// kw: tune LANES = 16, 8
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

// Stores a vector to an aligned address, with a non-temporal store where STREAM is set.
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

// Elements of a column in the stage: the last elements of the previous tile, which filled no line,
// then the tile's own.
constexpr int kPitch = LANES + TILE_ROWS;

// A tile of a strip that waits to be written.
struct Tile {
  float* staged;
  float* to;  // where the tile's first element goes
  int rows, next, cols;  // next: the first column that is not written yet
  bool is_first, is_last;  // whether the tile is the first or last of its strip
};

static inline void write_column(Tile& tile, int ldy) {
  const float* from = tile.staged + tile.next * kPitch + LANES;
  float* to = tile.to + (size_t)tile.next * ldy;
  ++tile.next;
  const int over = (int)((size_t)to / sizeof(float) % LANES);  // elements of the first line before this tile
  int i = -over;
  if (tile.is_first && over > 0) {
    i += LANES;
    for (int k = 0; k < min_of(i, tile.rows); ++k) to[k] = from[k];
  }
  for (; i + LANES <= tile.rows; i += LANES) put(to + i, load(from + i));
  if (!tile.is_last) return;
  for (; i < tile.rows; ++i) to[i] = from[i];
}

// Transposes LANES x LANES elements, or fewer at an edge, into columns of the stage, and fetches
// the elements AHEAD rows further, which hardware does not do across pages.
static inline void stage(const float* from, int ldx, int rows, int cols, bool is_first, float* to) {
#if AHEAD
  const float* ahead = from + (size_t)AHEAD * ldx;
  for (int i = 0; i < LANES; ++i) __builtin_prefetch(ahead + (size_t)i * ldx + LANES - 1, 0, 2);
  if (is_first) {  // the line that holds only the first column is fetched too
    for (int i = 0; i < LANES; ++i) __builtin_prefetch(ahead + (size_t)i * ldx, 0, 2);
  }
#endif
  if (rows >= LANES && cols >= LANES) {
    Vec row[LANES];
#pragma GCC unroll 16
    for (int i = 0; i < LANES; ++i) row[i] = load(from + (size_t)i * ldx);
    turn<LANES / 2>(row);
#pragma GCC unroll 16
    for (int i = 0; i < LANES; ++i) *(Vec*)(to + i * kPitch) = row[i];
  } else {
    for (int i = 0; i < min_of(LANES, rows); ++i) {
      for (int j = 0; j < min_of(LANES, cols); ++j) to[j * kPitch + i] = from[(size_t)i * ldx + j];
    }
  }
}

// Transposes some columns of x, tile by tile down the rows. Staging squares of one tile alternates
// with writing columns of the tile before, so that memory is read and written at the same time.
static void strip(const float* x, int ldx, int rows, int cols, float* y, int ldy, float* staged) {
  Tile waiting = {staged, y, 0, 0, 0, false, false};
  float* other = staged + TILE_COLS * kPitch;
  for (int r = 0; r < rows; r += TILE_ROWS) {
    const int height = min_of(TILE_ROWS, rows - r);
    for (int i = 0; i < height; i += LANES) {
      for (int c = 0; c < cols; c += LANES) {
        stage(x + (size_t)(r + i) * ldx + c, ldx, height - i, cols - c, c == 0,
              other + c * kPitch + LANES + i);
        for (int k = 0; k < LANES * LANES / TILE_ROWS && waiting.next < waiting.cols; ++k) {
          write_column(waiting, ldy);
        }
      }
    }
    while (waiting.next < waiting.cols) write_column(waiting, ldy);
    if (r > 0) {
      for (int c = 0; c < cols; ++c) {
        *(Vec*)(other + c * kPitch) = *(Vec*)(waiting.staged + c * kPitch + TILE_ROWS);
      }
    }
    float* free = waiting.staged;
    waiting = Tile{other, y + r, height, 0, cols, r == 0, r + height == rows};
    other = free;
  }
  while (waiting.next < waiting.cols) write_column(waiting, ldy);
}

void transpose(int rows, int cols, const float* x, int ldx, float* y, int ldy) {
  const int chunks = rows / CHUNK > 0 ? rows / CHUNK : 1;
  const int chunk = (rows + chunks - 1) / chunks;
#pragma omp parallel
  {
    alignas(64) float staged[2 * TILE_COLS * kPitch];
#pragma omp for collapse(2) schedule(static)
    for (int r = 0; r < rows; r += chunk) {
      for (int c = 0; c < cols; c += TILE_COLS) {
        strip(x + (size_t)r * ldx + c, ldx, min_of(chunk, rows - r), min_of(TILE_COLS, cols - c),
              y + (size_t)c * ldy + r, ldy, staged);
      }
    }
    __builtin_ia32_sfence();  // streamed stores are ordered before the threads join
  }
}
