// Honest kernel: computes all time steps in one cooperative launch, with hand-written barriers of the whole grid.
// SPDX-License-Identifier: Apache-2.0
// kw: tune OCCUPANCY = 2, 1
// kw: let THREADS = 512
// kw: workspace barrier u32 [1] zeroed
// kw: launch all_steps grid(sms * OCCUPANCY) block(THREADS) cooperative carveout(50) args(
// kw:   u, m, src, src_coords, barrier, nx, ny, nz, nt, nsrc, dt, hx, hy, hz, ox, oy, oz)

// Waits until every block has called this function `turn` times.
static __device__ void wait_for_all(unsigned* barrier, unsigned turn) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(barrier, 1u);
    while (atomicAdd(barrier, 0u) < turn * gridDim.x) __nanosleep(40);
    __threadfence();
  }
  __syncthreads();
}

extern "C" __global__ void __launch_bounds__(THREADS)
    all_steps(float* u, const float* m, const float* src, const float* coords, unsigned* barrier, int nx, int ny,
              int nz, int nt, int nsrc, float dt, float hx, float hy, float hz, float ox, float oy, float oz) {
  const long long sy = nz + 8, sx = sy * (ny + 8), level = sx * (nx + 8);
  const long long points = static_cast<long long>(nx) * ny * nz;
  const long long first = blockIdx.x * static_cast<long long>(THREADS) + threadIdx.x;
  const long long all = gridDim.x * static_cast<long long>(THREADS);
  const float rx = 1 / (hx * hx), ry = 1 / (hy * hy), rz = 1 / (hz * hz);
  unsigned turn = 0;
  for (int t = 0; t < nt; ++t) {
    // Values that other blocks wrote in the previous step must not come from this multiprocessor's L1.
    const float* now = u + t % 3 * level;
    const float* before = u + (t + 2) % 3 * level;
    float* next = u + (t + 1) % 3 * level;
    for (long long i = first; i < points; i += all) {
      const long long row = i / nz, at = (row / ny + 4) * sx + (row % ny + 4) * sy + i % nz + 4;
      const float* p = now + at;
      const float centre = __ldcg(p);
      const float dx = 4.0f / 3 * (__ldcg(p + sx) + __ldcg(p - sx)) - 1.0f / 12 * (__ldcg(p + 2 * sx) + __ldcg(p - 2 * sx));
      const float dy = 4.0f / 3 * (__ldcg(p + sy) + __ldcg(p - sy)) - 1.0f / 12 * (__ldcg(p + 2 * sy) + __ldcg(p - 2 * sy));
      const float dz = 4.0f / 3 * (__ldcg(p + 1) + __ldcg(p - 1)) - 1.0f / 12 * (__ldcg(p + 2) + __ldcg(p - 2));
      const float curvature = dx * rx + dy * ry + dz * rz - 2.5f * centre * (rx + ry + rz);
      next[at] = 2 * centre - __ldcg(before + at) + dt * dt / m[at] * curvature;
    }
    wait_for_all(barrier, ++turn);
    for (long long i = first; i < nsrc * 8ll; i += all) {
      const int s = static_cast<int>(i / 8), corner = static_cast<int>(i % 8);
      const float gx = (coords[3 * s] - ox) / hx, gy = (coords[3 * s + 1] - oy) / hy, gz = (coords[3 * s + 2] - oz) / hz;
      const int bx = static_cast<int>(floorf(gx)), by = static_cast<int>(floorf(gy)), bz = static_cast<int>(floorf(gz));
      const int cx = corner >> 2, cy = corner >> 1 & 1, cz = corner & 1;
      const int x = bx + cx, y = by + cy, z = bz + cz;
      if (x < -1 || x > nx || y < -1 || y > ny || z < -1 || z > nz) continue;
      const float wx = gx - bx, wy = gy - by, wz = gz - bz;
      const float weight = (cx ? wx : 1 - wx) * (cy ? wy : 1 - wy) * (cz ? wz : 1 - wz);
      atomicAdd(&next[(x + 4) * sx + (y + 4) * sy + z + 4],
                1e-2f * weight * src[static_cast<long long>(t) * nsrc + s] / m[(bx + 4) * sx + (by + 4) * sy + bz + 4]);
    }
    wait_for_all(barrier, ++turn);
  }
}
