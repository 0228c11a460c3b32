// Explicit vectors along z, blocks along y, and non-temporal stores of the new level.
// SPDX-License-Identifier: Apache-2.0
// kw: tune BY = 64, 32, 4096
// kw: tune LANES = 16, 8
// kw: tune STREAM = 1, 0
// kw: tune AHEAD = 2, 3, 0
// kw: technique vectorization, cache_blocking, nontemporal_stores, strength_reduction, threads
#include <math.h>
#include <omp.h>
#include <stddef.h>

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

static inline void store_around_caches(float* to, Vec value) {
#if STREAM && defined(__AVX512F__) && LANES == 16
  __builtin_ia32_movntps512(to, value);
#elif STREAM && defined(__AVX__) && LANES == 8
  __builtin_ia32_movntps256(to, value);
#else
  *(Vec*)to = value;
#endif
}

static inline Vec load(const float* from) {
  Vec value;  // copied, because from is aligned to one element only
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}

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

// Whole aligned vectors; the first and the last keep what lies outside [0, nz). Reads up to 2 *
// LANES elements beyond either end of the row, which the four halo planes on either side allow.
static void update_row(float* next, const float* now, const float* before, const float* m,
                       ptrdiff_t sx, ptrdiff_t sy, int nz, const Weights& w) {
  int z = -(int)((size_t)next / sizeof(float) % LANES);
  // Neighbours along z come from registers: loads that straddle two lines cost several cycles.
  Vec left = load(now + z - LANES), middle = load(now + z);
  for (; z < nz; z += LANES) {
    const float* p = now + z;
    const Vec right = load(p + LANES);
#if AHEAD
    __builtin_prefetch(p + 2 * sx + AHEAD * sy);
    __builtin_prefetch(before + z + AHEAD * sy);
    __builtin_prefetch(m + z + AHEAD * sy);
#endif
    Vec wave = w.centre * middle;
    wave += w.z1 * (shifted<LANES - 1>(left, middle) + shifted<1>(middle, right));
    wave += w.z2 * (shifted<LANES - 2>(left, middle) + shifted<2>(middle, right));
    wave += w.y1 * (load(p + sy) + load(p - sy));
    wave += w.y2 * (load(p + 2 * sy) + load(p - 2 * sy));
    wave += w.x1 * (load(p + sx) + load(p - sx));
    wave += w.x2 * (load(p + 2 * sx) + load(p - 2 * sx));
    const Vec value = 2.0f * middle - load(before + z) + wave / load(m + z);
    if (z >= 0 && z + LANES <= nz) {
      store_around_caches(next + z, value);
    } else {
      const Lanes lane = kLane + z;
      *(Vec*)(next + z) = (lane >= 0) & (lane < nz) ? value : *(const Vec*)(next + z);
    }
    left = middle;
    middle = right;
  }
}

// Adds the sources of step t to the level just written; sequential, so shared cells need no
// atomics.
static void inject(float* next, const float* m, const float* src, const float* coords, int nx,
                   int ny, int nz, int nsrc, float hx, float hy, float hz, float ox, float oy,
                   float oz) {
  const ptrdiff_t sy = nz + 8, sx = sy * (ny + 8);
  for (int p = 0; p < nsrc; ++p) {
    const float gx = (coords[3 * p] - ox) / hx;
    const float gy = (coords[3 * p + 1] - oy) / hy;
    const float gz = (coords[3 * p + 2] - oz) / hz;
    const float fx = floorf(gx), fy = floorf(gy), fz = floorf(gz);
    const int bx = (int)fx, by = (int)fy, bz = (int)fz;
    const ptrdiff_t base = (bx + 4) * sx + (by + 4) * sy + bz + 4;
    for (int corner = 0; corner < 8; ++corner) {
      const int rx = corner >> 2, ry = (corner >> 1) & 1, rz = corner & 1;
      const int x = bx + rx, y = by + ry, z = bz + rz;
      if (x < -1 || x > nx || y < -1 || y > ny || z < -1 || z > nz) continue;
      const float wx = rx ? gx - fx : 1 - (gx - fx);
      const float wy = ry ? gy - fy : 1 - (gy - fy);
      const float wz = rz ? gz - fz : 1 - (gz - fz);
      next[base + rx * sx + ry * sy + rz] += 1e-2f * wx * wy * wz * src[p] / m[base];
    }
  }
}

void fctd3d(float* u, const float* m, const float* src, const float* src_coords, int nx, int ny,
            int nz, int nt, int nsrc, float dt, float hx, float hy, float hz, float ox, float oy,
            float oz) {
  const ptrdiff_t sy = nz + 8, sx = sy * (ny + 8), level = sx * (nx + 8);
  const float ax = dt * dt / (hx * hx), ay = dt * dt / (hy * hy), az = dt * dt / (hz * hz);
  const Weights w = {
      -2.5f * (ax + ay + az), ax * 4 / 3, -ax / 12, ay * 4 / 3, -ay / 12, az * 4 / 3, -az / 12};
  for (int t = 0; t < nt; ++t) {
    const float* now = u + (t % 3) * level;
    const float* before = u + ((t + 2) % 3) * level;
    float* next = u + ((t + 1) % 3) * level;
#pragma omp parallel
    {
      const int threads = omp_get_num_threads(), self = omp_get_thread_num();
      const int x0 = (int)((long)nx * self / threads), x1 = (int)((long)nx * (self + 1) / threads);
      for (int y0 = 0; y0 < ny; y0 += BY) {
        const int y1 = y0 + BY < ny ? y0 + BY : ny;
        for (int x = x0; x < x1; ++x) {
          for (int y = y0; y < y1; ++y) {
            const ptrdiff_t row = (x + 4) * sx + (y + 4) * sy + 4;
            update_row(next + row, now + row, before + row, m + row, sx, sy, nz, w);
          }
        }
      }
      __builtin_ia32_sfence();
    }
    inject(next, m, src + (ptrdiff_t)t * nsrc, src_coords, nx, ny, nz, nsrc, hx, hy, hz, ox, oy,
           oz);
  }
}
