// Wrong fctd3d kernel: computes two steps per slab of planes, whose redundant planes lack the first step's sources.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct Grid {
  const float* m;
  const float* src;
  const float* coords;
  int nx, ny, nz, nsrc;
  float dt, hx, hy, hz, ox, oy, oz;
  ptrdiff_t sy, sx;
};

// Updates the planes [from, to) in one step; the level pointers are those of plane x = 0.
static void update(const Grid& g, const float* now, const float* before, float* next, int from,
                   int to) {
  const float c0 = -5.0f / 2, c1 = 4.0f / 3, c2 = -1.0f / 12, d2 = g.dt * g.dt;
  const ptrdiff_t sx = g.sx, sy = g.sy;
  for (int x = from; x < to; ++x) {
    for (int y = 0; y < g.ny; ++y) {
      for (int z = 0; z < g.nz; ++z) {
        const ptrdiff_t i = x * sx + (y + 4) * sy + z + 4;
        const float* p = now + i;
        const float dx = c0 * p[0] + c1 * (p[sx] + p[-sx]) + c2 * (p[2 * sx] + p[-2 * sx]);
        const float dy = c0 * p[0] + c1 * (p[sy] + p[-sy]) + c2 * (p[2 * sy] + p[-2 * sy]);
        const float dz = c0 * p[0] + c1 * (p[1] + p[-1]) + c2 * (p[2] + p[-2]);
        const float wave = dx / (g.hx * g.hx) + dy / (g.hy * g.hy) + dz / (g.hz * g.hz);
        next[i] = 2 * p[0] - before[i] + d2 * wave / g.m[(x + 4) * sx + (y + 4) * sy + z + 4];
      }
    }
  }
}

// Adds those corners of step t's sources that lie in planes [from, to).
static void inject(const Grid& g, float* next, int t, int from, int to) {
  for (int p = 0; p < g.nsrc; ++p) {
    const float gx = (g.coords[3 * p] - g.ox) / g.hx;
    const float gy = (g.coords[3 * p + 1] - g.oy) / g.hy;
    const float gz = (g.coords[3 * p + 2] - g.oz) / g.hz;
    const int bx = (int)floorf(gx), by = (int)floorf(gy), bz = (int)floorf(gz);
    const float wx = gx - bx, wy = gy - by, wz = gz - bz;
    const float base = g.m[(bx + 4) * g.sx + (by + 4) * g.sy + bz + 4];
    for (int corner = 0; corner < 8; ++corner) {
      const int rx = corner >> 2, ry = (corner >> 1) & 1, rz = corner & 1;
      const int x = bx + rx, y = by + ry, z = bz + rz;
      if (x < from || x >= to || y < -1 || y > g.ny || z < -1 || z > g.nz) continue;
      const float weight = (rx ? wx : 1 - wx) * (ry ? wy : 1 - wy) * (rz ? wz : 1 - wz);
      next[x * g.sx + (y + 4) * g.sy + z + 4] +=
          1e-2f * weight * g.src[(ptrdiff_t)t * g.nsrc + p] / base;
    }
  }
}

void fctd3d(float* u, const float* m, const float* src, const float* src_coords, int nx, int ny,
            int nz, int nt, int nsrc, float dt, float hx, float hy, float hz, float ox, float oy,
            float oz) {
  const ptrdiff_t sy = nz + 8, sx = sy * (ny + 8), level = sx * (nx + 8);
  const Grid g = {m, src, src_coords, nx, ny, nz, nsrc, dt, hx, hy, hz, ox, oy, oz, sy, sx};
  const int kSlab = 8;
  const size_t bytes = (size_t)level * sizeof(float);
  float* const first = (float*)malloc(bytes);
  float* const second = (float*)malloc(bytes);
  float* const scratch = (float*)malloc(bytes);
  int t = 0;
  for (; t + 2 <= nt; t += 2) {
    float* const l0 = u + (t % 3) * level;
    float* const l1 = u + ((t + 1) % 3) * level;
    float* const l2 = u + ((t + 2) % 3) * level;
    memcpy(first, l1, bytes);
    memcpy(second, l2, bytes);
    for (int x0 = 0; x0 < nx; x0 += kSlab) {
      const int x1 = x0 + kSlab < nx ? x0 + kSlab : nx;
      const int lo = x0 - 2 > 0 ? x0 - 2 : 0, hi = x1 + 2 < nx ? x1 + 2 : nx;
      memcpy(scratch, l1, bytes);
      const int own_lo = x0 == 0 ? -1 : x0, own_hi = x1 == nx ? nx + 1 : x1;
      update(g, l0 + 4 * sx, l2 + 4 * sx, scratch + 4 * sx, lo, hi);
      inject(g, scratch + 4 * sx, t, own_lo, own_hi);
      memcpy(first + (own_lo + 4) * sx, scratch + (own_lo + 4) * sx,
             (size_t)(own_hi - own_lo) * sx * sizeof(float));
      update(g, scratch + 4 * sx, l0 + 4 * sx, second + 4 * sx, x0, x1);
      inject(g, second + 4 * sx, t + 1, own_lo, own_hi);
    }
    memcpy(l1, first, bytes);
    memcpy(l2, second, bytes);
  }
  if (t < nt) {
    float* const next = u + ((t + 1) % 3) * level + 4 * sx;
    update(g, u + (t % 3) * level + 4 * sx, u + ((t + 2) % 3) * level + 4 * sx, next, 0, nx);
    inject(g, next, t, -1, nx + 1);
  }
  free(first);
  free(second);
  free(scratch);
}
