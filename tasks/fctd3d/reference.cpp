// The truth of fctd3d: the update and then the sources of each time step.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>

// One row along z of the update. Arguments point at z = 0 of the row; sx and sy are the strides.
template <class Real>
inline void update_row(Real* __restrict next, const Real* __restrict now,
                       const Real* __restrict before, const Real* __restrict m, std::ptrdiff_t sx,
                       std::ptrdiff_t sy, int nz, Real dt, Real hx, Real hy, Real hz) {
  const Real c0 = Real(-5) / Real(2), c1 = Real(4) / Real(3), c2 = Real(-1) / Real(12);
  const Real rx = 1 / (hx * hx), ry = 1 / (hy * hy), rz = 1 / (hz * hz);
  const Real r2 = 1 / (dt * dt);
  for (int z = 0; z < nz; ++z) {
    const Real* p = now + z;
    const Real dx = c0 * p[0] + c1 * (p[sx] + p[-sx]) + c2 * (p[2 * sx] + p[-2 * sx]);
    const Real dy = c0 * p[0] + c1 * (p[sy] + p[-sy]) + c2 * (p[2 * sy] + p[-2 * sy]);
    const Real dz = c0 * p[0] + c1 * (p[1] + p[-1]) + c2 * (p[2] + p[-2]);
    next[z] =
        dt * dt * (dx * rx + dy * ry + dz * rz - (-2 * r2 * p[0] + r2 * before[z]) * m[z]) / m[z];
  }
}

template <class Real>
void reference(Real* u, const Real* m, const Real* src, const Real* src_coords, int nx, int ny,
               int nz, int nt, int nsrc, Real dt, Real hx, Real hy, Real hz, Real ox, Real oy,
               Real oz) {
  const std::ptrdiff_t sy = nz + 8, sx = sy * (ny + 8), level = sx * (nx + 8);
  for (int t = 0; t < nt; ++t) {
    const Real* now = u + (t % 3) * level;
    const Real* before = u + ((t + 2) % 3) * level;
    Real* next = u + ((t + 1) % 3) * level;
    for (int x = 0; x < nx; ++x) {
      for (int y = 0; y < ny; ++y) {
        const std::ptrdiff_t row = (x + 4) * sx + (y + 4) * sy + 4;
        update_row(next + row, now + row, before + row, m + row, sx, sy, nz, dt, hx, hy, hz);
      }
    }
    for (int p = 0; p < nsrc; ++p) {
      const Real gx = (src_coords[3 * p] - ox) / hx;
      const Real gy = (src_coords[3 * p + 1] - oy) / hy;
      const Real gz = (src_coords[3 * p + 2] - oz) / hz;
      const int bx = static_cast<int>(std::floor(gx));
      const int by = static_cast<int>(std::floor(gy));
      const int bz = static_cast<int>(std::floor(gz));
      const Real wx = gx - bx, wy = gy - by, wz = gz - bz;
      for (int corner = 0; corner < 8; ++corner) {
        const int rx = corner >> 2, ry = (corner >> 1) & 1, rz = corner & 1;
        const int x = bx + rx, y = by + ry, z = bz + rz;
        if (x < -1 || x > nx || y < -1 || y > ny || z < -1 || z > nz) continue;
        const Real weight = (rx ? wx : 1 - wx) * (ry ? wy : 1 - wy) * (rz ? wz : 1 - wz);
        const Real base = m[(bx + 4) * sx + (by + 4) * sy + bz + 4];
        next[(x + 4) * sx + (y + 4) * sy + z + 4] +=
            Real(1e-2) * weight * src[static_cast<std::ptrdiff_t>(t) * nsrc + p] / base;
      }
    }
  }
}
