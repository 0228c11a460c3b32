// The truth of fctd3d on a GPU, in float64. Sources that share a cell are added in any order.
// SPDX-License-Identifier: Apache-2.0
// kw: for t = 0 .. nt
// kw:   launch truth_update grid(ceil_div(nz, 32), ceil_div(ny, 8), nx) block(32, 8) args(
// kw:     u[(t + 1) % 3], u[t % 3], u[(t + 2) % 3], m, nx, ny, nz, dt, hx, hy, hz)
// kw:   launch truth_sources grid(ceil_div(nsrc * 8, 128)) block(128) args(
// kw:     u[(t + 1) % 3], m, src[t], src_coords, nx, ny, nz, nsrc, hx, hy, hz, ox, oy, oz)
// kw: end

extern "C" __global__ void truth_update(double* next, const double* now, const double* before, const double* m,
                                        int nx, int ny, int nz, double dt, double hx, double hy, double hz) {
  const int z = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  const int x = blockIdx.z;
  if (z >= nz || y >= ny) return;
  const long long sy = nz + 8, sx = sy * (ny + 8);
  const double* p = now + (x + 4) * sx + (y + 4) * sy + z + 4;
  const double c0 = -5.0 / 2, c1 = 4.0 / 3, c2 = -1.0 / 12;
  const double dx = c0 * p[0] + c1 * (p[sx] + p[-sx]) + c2 * (p[2 * sx] + p[-2 * sx]);
  const double dy = c0 * p[0] + c1 * (p[sy] + p[-sy]) + c2 * (p[2 * sy] + p[-2 * sy]);
  const double dz = c0 * p[0] + c1 * (p[1] + p[-1]) + c2 * (p[2] + p[-2]);
  const long long at = p - now;
  next[at] = 2 * p[0] - before[at] +
             dt * dt / m[at] * (dx / (hx * hx) + dy / (hy * hy) + dz / (hz * hz));
}

// One corner of one source per thread.
extern "C" __global__ void truth_sources(double* next, const double* m, const double* amplitudes,
                                         const double* coords, int nx, int ny, int nz, int nsrc,
                                         double hx, double hy, double hz, double ox, double oy, double oz) {
  const int p = (blockIdx.x * 128 + threadIdx.x) / 8;
  const int corner = threadIdx.x % 8;
  if (p >= nsrc) return;
  const long long sy = nz + 8, sx = sy * (ny + 8);
  const double gx = (coords[3 * p] - ox) / hx;
  const double gy = (coords[3 * p + 1] - oy) / hy;
  const double gz = (coords[3 * p + 2] - oz) / hz;
  const int bx = static_cast<int>(floor(gx));
  const int by = static_cast<int>(floor(gy));
  const int bz = static_cast<int>(floor(gz));
  const double wx = gx - bx, wy = gy - by, wz = gz - bz;
  const int rx = corner >> 2, ry = corner >> 1 & 1, rz = corner & 1;
  const int x = bx + rx, y = by + ry, z = bz + rz;
  if (x < -1 || x > nx || y < -1 || y > ny || z < -1 || z > nz) return;
  const double weight = (rx ? wx : 1 - wx) * (ry ? wy : 1 - wy) * (rz ? wz : 1 - wz);
  const double base = m[(bx + 4) * sx + (by + 4) * sy + bz + 4];
  atomicAdd(&next[(x + 4) * sx + (y + 4) * sy + z + 4],
            1e-2 * weight * amplitudes[p] / base);
}
