// Several time steps in one pass through memory: a wavefront along x inside blocks along y that
// shrink by the stencil's reach each step; the gaps between blocks are filled in a second phase.
// SPDX-License-Identifier: Apache-2.0
// kw: tune STEPS = 10, 5, 4
// kw: tune BY = 64, 32, 128
// kw: tune LANES = 16, 8
// kw: tune AHEAD = 2, 1, 0
// kw: technique temporal_blocking, wavefront, task_graph, vectorization, prefetch, strength_reduction, threads
#include <math.h>
#include <omp.h>
#include <stddef.h>
#include <stdlib.h>

typedef float Vec __attribute__((vector_size(LANES * 4), may_alias));
typedef int Lanes __attribute__((vector_size(LANES * 4)));
#if LANES == 16
static const Lanes kLane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#else
static const Lanes kLane = {0, 1, 2, 3, 4, 5, 6, 7};
#endif

struct Weights {
  float centre, x1, x2, y1, y2, z1, z2;
};

// One corner of one source: where it adds, and by how much for each unit of src.
struct Corner {
  int y, source;
  ptrdiff_t offset;
  float weight;
};

struct Wave {
  float* u;
  const float* m;
  const float* src;
  int nx, ny, nz, nsrc;
  ptrdiff_t sx, sy, level;
  Weights weights;
  const Corner* corners;   // sorted by plane
  const int* plane_start;  // of plane x at index x + 1; nx + 3 entries
};

static inline Vec load(const float* from) {
  Vec value;  // copied, because from is aligned to one element only
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}

static inline Vec all(float value) { return value - (Vec){}; }

// The vector that starts k elements into low, continued by high.
template <int k>
static inline Vec shifted(Vec low, Vec high) {
#if LANES == 16
  return __builtin_shufflevector(low, high, k, k + 1, k + 2, k + 3, k + 4, k + 5, k + 6, k + 7,
                                 k + 8, k + 9, k + 10, k + 11, k + 12, k + 13, k + 14, k + 15);
#else
  return __builtin_shufflevector(low, high, k, k + 1, k + 2, k + 3, k + 4, k + 5, k + 6, k + 7);
#endif
}

// Writes the lanes in [0, nz) and touches no other: the neighbours may belong to another thread.
static inline void store_inside(float* to, Vec value, int z, int nz) {
#if defined(__AVX512F__) && LANES == 16
  const int from = z < 0 ? -z : 0, until = nz - z < LANES ? nz - z : LANES;
  __builtin_ia32_storeaps512_mask((Vec*)to, value, (unsigned short)((1u << until) - (1u << from)));
#else
  for (int i = 0; i < LANES; ++i) {
    if (z + i >= 0 && z + i < nz) to[i] = value[i];
  }
#endif
}

// Whole aligned vectors. Reads up to 2 * LANES elements beyond either end of the row, which the
// four halo planes on either side allow.
static void update_row(float* next, const float* now, const float* before, const float* m,
                       ptrdiff_t sx, ptrdiff_t sy, int nz, const Weights& w) {
  int z = -(int)((size_t)next / sizeof(float) % LANES);
  // Copies, because a store through a vector might change what w refers to.
  const Vec centre = all(w.centre), x1 = all(w.x1), x2 = all(w.x2), y1 = all(w.y1), y2 = all(w.y2),
            z1 = all(w.z1), z2 = all(w.z2);
  // Neighbours along z come from registers: loads that straddle two lines cost several cycles.
  Vec left = load(now + z - LANES), middle = load(now + z);
  for (; z < nz; z += LANES) {
    const float* p = now + z;
    const Vec right = load(p + LANES);
#if AHEAD
    __builtin_prefetch(p + 2 * sx + AHEAD * sy);
    __builtin_prefetch(before + z + AHEAD * sy);
    __builtin_prefetch(m + z + AHEAD * sy);
    __builtin_prefetch(next + z + AHEAD * sy, 1);
#endif
    Vec wave = centre * middle;
    wave += z1 * (shifted<LANES - 1>(left, middle) + shifted<1>(middle, right));
    wave += z2 * (shifted<LANES - 2>(left, middle) + shifted<2>(middle, right));
    wave += y1 * (load(p + sy) + load(p - sy));
    wave += y2 * (load(p + 2 * sy) + load(p - 2 * sy));
    wave += x1 * (load(p + sx) + load(p - sx));
    wave += x2 * (load(p + 2 * sx) + load(p - 2 * sx));
    const Vec value = (middle + middle - load(before + z)) + wave / load(m + z);
    if (__builtin_expect(z >= 0 && z + LANES <= nz, 1)) {
      *(Vec*)(next + z) = value;
    } else {
      store_inside(next + z, value, z, nz);
    }
    left = middle;
    middle = right;
  }
}

// Step t of plane x, rows [y0, y1) with their sources; halo rows go with the rows they touch.
static void update_plane(const Wave& g, int t, int x, int y0, int y1) {
  if (y0 >= y1) return;
  const float* now = g.u + (t % 3) * g.level;
  const float* before = g.u + ((t + 2) % 3) * g.level;
  float* next = g.u + ((t + 1) % 3) * g.level;
  if (x >= 0 && x < g.nx) {
    for (int y = y0; y < y1; ++y) {
      const ptrdiff_t row = (x + 4) * g.sx + (y + 4) * g.sy + 4;
      update_row(next + row, now + row, before + row, g.m + row, g.sx, g.sy, g.nz, g.weights);
    }
  }
  const int low = y0 == 0 ? -1 : y0, high = y1 == g.ny ? g.ny + 1 : y1;
  for (int i = g.plane_start[x + 1]; i < g.plane_start[x + 2]; ++i) {
    const Corner& c = g.corners[i];
    if (c.y < low || c.y >= high) continue;
    next[c.offset] += c.weight * g.src[(ptrdiff_t)t * g.nsrc + c.source];
  }
}

// Steps t .. t + steps of rows [y0, y1), which move by grow0 and grow1 each step. Step s follows
// two planes behind step s - 1: it finds what it reads, and overwrites what nobody needs any more.
static void sweep(const Wave& g, int t, int steps, int y0, int y1, int grow0, int grow1) {
  for (int front = -1; front <= g.nx + 2 * (steps - 1); ++front) {
    for (int s = 0; s < steps; ++s) {
      const int x = front - 2 * s;
      if (x < -1 || x > g.nx) continue;
      update_plane(g, t + s, x, y0 + s * grow0, y1 + s * grow1);
    }
  }
}

// All corners of all sources, sorted by plane in the order of the sources.
static void collect(Wave& g, Corner* corners, int* start, const float* coords, const float* h,
                    const float* o) {
  for (int x = 0; x < g.nx + 3; ++x) start[x] = 0;
  // Pass 0 counts the corners of each plane, pass 1 puts them in place.
  for (int pass = 0; pass < 2; ++pass) {
    for (int p = 0; p < g.nsrc; ++p) {
      float part[3], first[3];
      for (int d = 0; d < 3; ++d) {
        const float at = (coords[3 * p + d] - o[d]) / h[d];
        first[d] = floorf(at);
        part[d] = at - first[d];
      }
      const int bx = (int)first[0], by = (int)first[1], bz = (int)first[2];
      const ptrdiff_t base = (bx + 4) * g.sx + (by + 4) * g.sy + bz + 4;
      for (int corner = 0; corner < 8; ++corner) {
        const int rx = corner >> 2, ry = (corner >> 1) & 1, rz = corner & 1;
        const int x = bx + rx, y = by + ry, z = bz + rz;
        if (x < -1 || x > g.nx || y < -1 || y > g.ny || z < -1 || z > g.nz) continue;
        if (pass == 0) {
          ++start[x + 2];
          continue;
        }
        const float weight = (rx ? part[0] : 1 - part[0]) * (ry ? part[1] : 1 - part[1]) *
                             (rz ? part[2] : 1 - part[2]);
        corners[start[x + 1]++] = {y, p, base + rx * g.sx + ry * g.sy + rz,
                                   1e-2f * weight / g.m[base]};
      }
    }
    if (pass == 0) {
      for (int x = 1; x < g.nx + 3; ++x) start[x] += start[x - 1];
    }
  }
  // Filling moved every start to its successor.
  for (int x = g.nx + 2; x > 0; --x) start[x] = start[x - 1];
  start[0] = 0;
  g.corners = corners;
  g.plane_start = start;
}

void fctd3d(float* u, const float* m, const float* src, const float* src_coords, int nx, int ny,
            int nz, int nt, int nsrc, float dt, float hx, float hy, float hz, float ox, float oy,
            float oz) {
  const ptrdiff_t sy = nz + 8, sx = sy * (ny + 8);
  const float ax = dt * dt / (hx * hx), ay = dt * dt / (hy * hy), az = dt * dt / (hz * hz);
  const float h[3] = {hx, hy, hz}, o[3] = {ox, oy, oz};
  Wave g = {u, m, src, nx, ny, nz, nsrc, sx, sy, sx * (nx + 8), {}, nullptr, nullptr};
  g.weights = {
      -2.5f * (ax + ay + az), ax * 4 / 3, -ax / 12, ay * 4 / 3, -ay / 12, az * 4 / 3, -az / 12};
  Corner* const corners = (Corner*)malloc(((size_t)nsrc * 8 + 1) * sizeof(Corner));
  int* const start = (int*)malloc(((size_t)nx + 3) * sizeof(int));
  collect(g, corners, start, src_coords, h, o);

  // A block must be at least as wide as it shrinks from both sides, so that the gaps do not meet.
  const int least = 4 * STEPS > BY ? 4 * STEPS : BY;
  const int blocks = ny / least > 1 ? ny / least : 1;
  // block[i] and gap[i], the gap below block i, stand for the rows that a task leaves finished.
  char* const block = (char*)malloc((size_t)blocks * 2 + 1);
  [[maybe_unused]] char* const gap = block + blocks;  // GCC 12 does not count depend as a use
#pragma omp parallel
#pragma omp single
  for (int t = 0; t < nt; t += STEPS) {
    const int steps = nt - t < STEPS ? nt - t : STEPS;
    for (int i = 0; i <= blocks; ++i) {
      if (i < blocks) {
        const int y0 = (int)((long)ny * i / blocks), y1 = (int)((long)ny * (i + 1) / blocks);
#pragma omp task depend(in : gap[i], gap[i + 1]) depend(inout : block[i])
        sweep(g, t, steps, y0, y1, i == 0 ? 0 : 2, i == blocks - 1 ? 0 : -2);
      }
      if (i > 1) {
        const int y = (int)((long)ny * (i - 1) / blocks);
#pragma omp task depend(in : block[i - 2], block[i - 1]) depend(inout : gap[i - 1])
        sweep(g, t, steps, y, y, -2, 2);
      }
    }
  }
  free(block);
  free(corners);
  free(start);
}
