// Packed panels, a register-blocked micro kernel, and jobs that threads finish without
// synchronising.
// SPDX-License-Identifier: Apache-2.0
// kw: tune MR = 12, 14, 6
// kw: tune LANES = 16, 8
// kw: tune KC = 256, 384, 192
// kw: tune MC = 10, 20
// kw: tune NC = 16, 8
// kw: tune JOBS = 1, 2
// kw: let NR = LANES * 2
// kw: require MR * 2 + 3 <= LANES * 2
// kw: technique packing, register_blocking, cache_blocking, vectorization, threads
#include <omp.h>
#include <stddef.h>

typedef float Vec __attribute__((vector_size(LANES * 4), aligned(4), may_alias));

static inline int min_of(int a, int b) { return a < b ? a : b; }

// Packs W rows of a as columns of the panel: element (i, p) is at p * W + i. Rows past the end
// repeat the last row.
template <int W>
static void pack_a(const float* a, int lda, int rows, int kc, float* to) {
  const float* from[W];
  for (int i = 0; i < W; ++i) from[i] = a + (size_t)(i < rows ? i : rows - 1) * lda;
  for (int p = 0; p < kc; ++p) {
#pragma GCC unroll 16
    for (int i = 0; i < W; ++i) to[p * W + i] = from[i][p];
  }
}

// Packs kc rows of b into panels of NR columns, reading along whole rows. Columns past the end are
// zero.
static void pack_b(const float* b, int ldb, int cols, int kc, float* to) {
  const int full = cols / NR, rest = cols % NR;
  for (int p = 0; p < kc; ++p) {
    const float* from = b + (size_t)p * ldb;
    float* row = to + (size_t)p * NR;
    for (int q = 0; q < full; ++q) {
      float* panel = row + (size_t)q * NR * kc;
      *(Vec*)panel = *(const Vec*)(from + q * NR);
      *(Vec*)(panel + LANES) = *(const Vec*)(from + q * NR + LANES);
    }
    if (rest != 0) {
      float* panel = row + (size_t)full * NR * kc;
      for (int j = 0; j < NR; ++j) panel[j] = j < rest ? from[full * NR + j] : 0.0f;
    }
  }
}

// Computes one block of c, R rows by V vectors, clipped to `rows` and `cols`; the first call writes
// the block, later calls add to it.
template <int R, int V>
static void multiply(const float* ap, const float* bp, int kc, float* c, int ldc, int rows,
                     int cols, bool first) {
  Vec sum[R][V] = {};
  for (int p = 0; p < kc; ++p) {
    Vec b[V];
    for (int v = 0; v < V; ++v) b[v] = *(const Vec*)(bp + v * LANES);
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
      for (int v = 0; v < V; ++v) sum[i][v] += ap[i] * b[v];
    }
    ap += R;
    bp += NR;
  }
  if (rows == R && cols == V * LANES) {
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
      for (int v = 0; v < V; ++v) {
        Vec* to = (Vec*)(c + (size_t)i * ldc + v * LANES);
        *to = first ? sum[i][v] : *to + sum[i][v];
      }
    }
    return;
  }
  float block[R * V * LANES];
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
    for (int v = 0; v < V; ++v) *(Vec*)(block + (i * V + v) * LANES) = sum[i][v];
  }
  for (int i = 0; i < rows; ++i) {
    float* to = c + (size_t)i * ldc;
    const float* from = block + i * V * LANES;
    for (int j = 0; j < cols; ++j) to[j] = first ? from[j] : to[j] + from[j];
  }
}

template <int R>
static void multiply_row(const float* ap, const float* bp, int kc, float* c, int ldc, int rows,
                         int cols, bool first) {
  if (cols > LANES) {
    multiply<R, 2>(ap, bp, kc, c, ldc, rows, cols, first);
  } else {
    multiply<R, 1>(ap, bp, kc, c, ldc, rows, cols, first);
  }
}

// Panels of a are MR wide; the last one of a block shrinks to the least of three widths that holds
// it.
static const int kWide = MR, kMiddle = MR * 2 / 3, kNarrow = MR / 3;

// c = a b for one block of one matrix, alone in this thread. The panels are too large for the stack
// of a thread, and hold nothing from call to call: each block packs what it reads.
static void multiply_block(int m, int n, int k, const float* a, int lda, const float* b, int ldb,
                           float* c, int ldc) {
  alignas(64) static thread_local float packed_a[MR * MC * KC];
  alignas(64) static thread_local float packed_b[NR * NC * KC];
  float* pa = packed_a;
  float* pb = packed_b;
  // Hides where the pointers come from, because the compiler would look up the thread's copy again
  // in inner loops.
  asm("" : "+r"(pa), "+r"(pb));
  for (int j0 = 0; j0 < n; j0 += NR * NC) {
    const int nc = min_of(NR * NC, n - j0);
    for (int p0 = 0; p0 < k; p0 += KC) {
      const int kc = min_of(KC, k - p0);
      pack_b(b + (size_t)p0 * ldb + j0, ldb, nc, kc, pb);
      for (int i0 = 0; i0 < m; i0 += MR * MC) {
        const int mc = min_of(MR * MC, m - i0);
        for (int i = 0; i < mc; i += MR) {
          const int rows = min_of(MR, mc - i);
          const float* from = a + (size_t)(i0 + i) * lda + p0;
          float* panel = pa + (size_t)i * kc;
          if (rows > kMiddle) {
            pack_a<kWide>(from, lda, rows, kc, panel);
          } else if (rows > kNarrow) {
            pack_a<kMiddle>(from, lda, rows, kc, panel);
          } else {
            pack_a<kNarrow>(from, lda, rows, kc, panel);
          }
        }
        for (int j = 0; j < nc; j += NR) {
          for (int i = 0; i < mc; i += MR) {
            const int rows = min_of(MR, mc - i), cols = min_of(NR, nc - j);
            const float* ap = pa + (size_t)i * kc;
            const float* bp = pb + (size_t)j * kc;
            float* to = c + (size_t)(i0 + i) * ldc + j0 + j;
            if (rows > kMiddle) {
              multiply_row<kWide>(ap, bp, kc, to, ldc, rows, cols, p0 == 0);
            } else if (rows > kNarrow) {
              multiply_row<kMiddle>(ap, bp, kc, to, ldc, rows, cols, p0 == 0);
            } else {
              multiply_row<kNarrow>(ap, bp, kc, to, ldc, rows, cols, p0 == 0);
            }
          }
        }
      }
    }
  }
}

void matmul(int batch, int m, int n, int k, const float* a, int lda, const float* b, int ldb,
            float* c, int ldc) {
  // The longer side is halved until there are jobs for every thread; sides stay multiples of the
  // micro block.
  int rows = m, cols = n;
  long jobs = batch;
  const int wanted = omp_get_max_threads() * JOBS;
  while (jobs < wanted && (rows > MR || cols > NR)) {
    if (cols >= rows && cols > NR) {
      cols = ((cols + 1) / 2 + NR - 1) / NR * NR;
    } else {
      rows = ((rows + 1) / 2 + MR - 1) / MR * MR;
    }
    jobs = (long)batch * ((m + rows - 1) / rows) * ((n + cols - 1) / cols);
  }
  const int down = (m + rows - 1) / rows, across = (n + cols - 1) / cols;
#pragma omp parallel for schedule(dynamic)
  for (long job = 0; job < jobs; ++job) {
    const int s = (int)(job / (down * across)), rest = (int)(job % (down * across));
    const int i0 = rest / across * rows, j0 = rest % across * cols;
    multiply_block(min_of(rows, m - i0), min_of(cols, n - j0), k, a + ((size_t)s * m + i0) * lda,
                   lda, b + (size_t)s * k * ldb + j0, ldb, c + ((size_t)s * m + i0) * ldc + j0,
                   ldc);
  }
}
