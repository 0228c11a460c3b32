// fctd3d in one pass per step: threads march along x with a queue of five vectors, their neighbours along y and z come
// from the first-level cache. Tiles are whole padded rows, so that no sector of memory belongs to two of them, and
// chunks along x are cut so that whole waves of blocks cover the grid.
// SPDX-License-Identifier: Apache-2.0
// kw: technique register queue, vectorization, L1 halo, software prefetch, aligned tiles, whole waves, programmatic dependent launch
// kw: tune THREADS = 1024, 896, 512
// kw: tune WIDE = 200, 100     // vectors of four along z in a tile, at most
// kw: tune CHUNK = 32, 24, 16, 64     // planes that a block marches through, about; half of them where rows are longer than 600
// kw: tune TURN = 1, 0     // every second step begins where the one before it ended: a part of that is still in the L2
// kw: require WIDE <= THREADS
// kw: workspace finished u32 [nt] zeroed
// kw: when nz % 4 == 0
// kw:   let VECTORS = (nz + 8) / 4, ACROSS = ceil_div(VECTORS, WIDE), LANES = ceil_div(VECTORS, ACROSS)
// kw:   let DOWN = ceil_div(ny, THREADS / LANES), ROWS = ceil_div(ny, DOWN), SLOTS = sms * (1024 / THREADS)
// kw:   let ABOUT = max(1, CHUNK / (1 + (nz - 1) / 600)), WAVES = ceil_div(ACROSS * DOWN * ceil_div(nx, ABOUT), SLOTS)
// kw:   let PLANES = ceil_div(nx, max(1, WAVES * SLOTS / (ACROSS * DOWN)))
// kw:   for t = 0 .. nt
// kw:     when nz > 600
// kw:       launch step_march<1> grid(ACROSS, DOWN, ceil_div(nx, PLANES)) block(LANES, ROWS) pdl args(
// kw:         u[(t + 1) % 3], u[t % 3], u[(t + 2) % 3], struct(nx, ny, nz, f32(dt * dt), f32(1 / (hx * hx)), f32(1 / (hy * hy)), f32(1 / (hx * hx) + 1 / (hy * hy) + 1 / (hz * hz))),
// kw:         struct(m, src[t], src_coords, nsrc, hx, hy, hz, ox, oy, oz), PLANES,
// kw:         TURN * (t % 2), finished[t])
// kw:     else
// kw:       launch step_march<0> grid(ACROSS, DOWN, ceil_div(nx, PLANES)) block(LANES, ROWS) pdl args(
// kw:         u[(t + 1) % 3], u[t % 3], u[(t + 2) % 3], struct(nx, ny, nz, f32(dt * dt), f32(1 / (hx * hx)), f32(1 / (hy * hy)), f32(1 / (hx * hx) + 1 / (hy * hy) + 1 / (hz * hz))),
// kw:         struct(m, src[t], src_coords, nsrc, hx, hy, hz, ox, oy, oz), PLANES,
// kw:         TURN * (t % 2), finished[t])
// kw:     end
// kw:   end
// kw: else
// kw:   for t = 0 .. nt
// kw:     launch step_scalar grid(ceil_div(nz, 32), ceil_div(ny, 8), ceil_div(nx, 16)) block(32, 8) args(
// kw:       u[(t + 1) % 3], u[t % 3], u[(t + 2) % 3], struct(nx, ny, nz, f32(dt * dt), f32(1 / (hx * hx)), f32(1 / (hy * hy)), f32(1 / (hx * hx) + 1 / (hy * hy) + 1 / (hz * hz))),
// kw:       struct(m, src[t], src_coords, nsrc, hx, hy, hz, ox, oy, oz), finished[t])
// kw:   end
// kw: end

struct Medium {
  int nx, ny, nz;
  float dt2, rx, ry, all;  // dt^2, 1 / h^2 of two axes, and its sum over three

  // What is left of the sum, so that the weights of a point and its neighbours add up to nothing: a rest would be a force
  // that grows with the square of the number of steps.
  __device__ __forceinline__ float rz() const {
    return static_cast<float>(static_cast<double>(all) - rx - ry);
  }
};

// One point from its neighbours at one and at two steps: x, y, z at once.
static __device__ __forceinline__ float point(float centre, float x1, float x2, float y1, float y2,
                                              float z1, float z2, float before, float m,
                                              const Medium& medium) {
  const float rz = medium.rz(), near = medium.rx * x1 + medium.ry * y1 + rz * z1;
  const float far = medium.rx * x2 + medium.ry * y2 + rz * z2;
  // 4/3 and 1/12 as rounded so that 2.5 is twice their difference, exactly.
  const float curvature = (4.0f / 3.0f) * near - (4.0f / 3.0f - 1.25f) * far - 2.5f * (medium.all * centre);
  return 2.0f * centre - before + __fdividef(medium.dt2, m) * curvature;
}

static __device__ __forceinline__ float4 sum(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

// Four neighbours along z; `left` and `right` are the two points beside them.
static __device__ __forceinline__ float4 points(float4 c, float4 x1, float4 x2, float4 y1,
                                                float4 y2, float2 left, float2 right,
                                                float4 before, float4 m, const Medium& medium) {
  return make_float4(
      point(c.x, x1.x, x2.x, y1.x, y2.x, left.y + c.y, left.x + c.z, before.x, m.x, medium),
      point(c.y, x1.y, x2.y, y1.y, y2.y, c.x + c.z, left.y + c.w, before.y, m.y, medium),
      point(c.z, x1.z, x2.z, y1.z, y2.z, c.y + c.w, c.x + right.x, before.z, m.z, medium),
      point(c.w, x1.w, x2.w, y1.w, y2.w, c.z + right.x, c.y + right.y, before.w, m.w, medium));
}

struct Sources {
  const float *m, *amplitudes, *coords;
  int count;
  float hx, hy, hz, ox, oy, oz;
};

// Corner `corner` of source p, on the grid with its halo.
static __device__ void inject(float* next, const Medium& medium, const Sources& s, int p,
                              int corner) {
  const int sy = medium.nz + 8;
  const long long sx = static_cast<long long>(sy) * (medium.ny + 8);
  const float gx = (s.coords[3 * p] - s.ox) / s.hx;
  const float gy = (s.coords[3 * p + 1] - s.oy) / s.hy;
  const float gz = (s.coords[3 * p + 2] - s.oz) / s.hz;
  const int bx = static_cast<int>(floorf(gx));
  const int by = static_cast<int>(floorf(gy));
  const int bz = static_cast<int>(floorf(gz));
  const int x = bx + (corner >> 2), y = by + (corner >> 1 & 1), z = bz + (corner & 1);
  if (x < -1 || x > medium.nx || y < -1 || y > medium.ny || z < -1 || z > medium.nz) return;
  const float wx = gx - bx, wy = gy - by, wz = gz - bz;
  const float weight = (corner & 4 ? wx : 1 - wx) * (corner & 2 ? wy : 1 - wy) *
                       (corner & 1 ? wz : 1 - wz);
  const float base = s.m[(bx + 4) * sx + (by + 4) * sy + bz + 4];
  atomicAdd(next + (x + 4) * sx + (y + 4) * sy + z + 4,
            1e-2f * weight * s.amplitudes[p] / base);
}

// The last block to finish a step adds the sources: that takes no launch of its own.
static __device__ void inject_when_last(float* next, const Medium& medium, const Sources& s,
                                        unsigned* finished) {
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
  int is_last = 0;
  __threadfence();
  __syncthreads();
  if (thread == 0)
    is_last = atomicAdd(finished, 1u) == gridDim.x * gridDim.y * gridDim.z - 1;
  if (!__syncthreads_or(is_last)) return;
  __threadfence();
  for (int e = thread; e < 8 * s.count; e += blockDim.x * blockDim.y)
    inject(next, medium, s, e / 8, e % 8);
}

// What a launch may do before the one before it has ended comes before this.
static __device__ __forceinline__ void wait_for_launch_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Blocks of the next step may take the places that become free; they wait for this one's end.
static __device__ __forceinline__ void let_next_launch_begin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Grids whose rows are no whole vectors: one column of points per thread, a queue of five along x.
extern "C" __global__ void __launch_bounds__(256)
    step_scalar(float* __restrict__ next, const float* __restrict__ now,
                const float* __restrict__ before, Medium medium, Sources sources,
                unsigned* finished) {
  const int z = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  const int sy = medium.nz + 8;
  const long long sx = static_cast<long long>(sy) * (medium.ny + 8);
  const int x0 = blockIdx.z * 16, x1 = min(x0 + 16, medium.nx);
  if (z < medium.nz && y < medium.ny) {
    long long at = (x0 + 4) * sx + (y + 4) * sy + z + 4;
    float a = now[at - 2 * sx], b = now[at - sx], c = now[at], d = now[at + sx];
    for (int x = x0; x < x1; ++x, at += sx) {
      const float e = now[at + 2 * sx];
      next[at] = point(c, b + d, a + e, now[at - sy] + now[at + sy],
                       now[at - 2 * sy] + now[at + 2 * sy], now[at - 1] + now[at + 1],
                       now[at - 2] + now[at + 2], before[at], sources.m[at], medium);
      a = b;
      b = c;
      c = d;
      d = e;
    }
  }
  inject_when_last(next, medium, sources, finished);
}

static __device__ __forceinline__ float4 vector_at(const float* p) {
  return *reinterpret_cast<const float4*>(p);
}

// What is read or written once. Where planes are large it must not drive the neighbours' out of the
// L2; where they are small a part of it stays there for the next step.
template <int HAS_LARGE_PLANES>
static __device__ __forceinline__ float4 once(const float* p) {
  return HAS_LARGE_PLANES ? __ldcs(reinterpret_cast<const float4*>(p)) : vector_at(p);
}

// Vector v of a padded row holds the points 4 v - 4 and on: the first and the last are halo. Where planes are large the
// rows of a block stay together, so that they find each other's in the first-level cache; all threads then march.
template <int HAS_LARGE_PLANES>
__global__ void __launch_bounds__(THREADS)
    step_march(float* __restrict__ next, const float* __restrict__ now,
               const float* __restrict__ before, Medium medium, Sources sources, int planes,
               int turned, unsigned* finished) {
  const int z = (blockIdx.x * blockDim.x + threadIdx.x) * 4 - 4;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  // From plane to plane of the march, which goes through the same chunk either way.
  const int sy = medium.nz + 8, plane = sy * (medium.ny + 8), sx = turned ? -plane : plane;
  const int chunk = turned ? gridDim.z - 1 - blockIdx.z : blockIdx.z;
  const int x0 = chunk * planes, x1 = min(x0 + planes, medium.nx);
  wait_for_launch_before();
  let_next_launch_begin();
  const bool has_points = z >= 0 && z < medium.nz && y < medium.ny;
  if (x0 < x1 && (has_points || HAS_LARGE_PLANES)) {
    // Steps along y fit 32 bits; the pointers move from plane to plane.
    const int first = turned ? x1 - 1 : x0;
    const long long at = static_cast<long long>(first + 4) * plane + (min(y, medium.ny - 1) + 4) * sy +
                         min(z, medium.nz) + 4;
    const float* p = now + at;
    const float* old = before + at;
    const float* slowness = sources.m + at;
    float* to = next + at;
    float4 a = vector_at(p - 2 * sx), b = vector_at(p - sx), c = vector_at(p), d = vector_at(p + sx);
    float4 e = vector_at(p + 2 * sx);
    float4 u_before = once<HAS_LARGE_PLANES>(old);
    float4 m = once<HAS_LARGE_PLANES>(slowness);
    for (int x = x0; x < x1; ++x) {
      // The next plane's vectors are on their way while this one is computed. Where planes are large the last of a
      // chunk fetches its own again: without a branch they set out later, which is faster there and slower elsewhere.
      float4 next_e = e, next_before = u_before, next_m = m;
      if (HAS_LARGE_PLANES) {
        const int ahead = x + 1 < x1 ? sx : 0;
        next_e = vector_at(p + (2 * sx + ahead));
        next_before = once<HAS_LARGE_PLANES>(old + ahead);
        next_m = once<HAS_LARGE_PLANES>(slowness + ahead);
      } else if (x + 1 < x1) {
        next_e = vector_at(p + 3 * sx);
        next_before = once<HAS_LARGE_PLANES>(old + sx);
        next_m = once<HAS_LARGE_PLANES>(slowness + sx);
      }
      const float4 y1 = sum(vector_at(p - sy), vector_at(p + sy));
      const float4 y2 = sum(vector_at(p - 2 * sy), vector_at(p + 2 * sy));
      const float2 left = *reinterpret_cast<const float2*>(p - 2);
      const float2 right = *reinterpret_cast<const float2*>(p + 4);
      const float4 v = points(c, sum(b, d), sum(a, e), y1, y2, left, right, u_before, m, medium);
      if (!HAS_LARGE_PLANES)
        *reinterpret_cast<float4*>(to) = v;
      else if (has_points)
        __stcs(reinterpret_cast<float4*>(to), v);
      a = b;
      b = c;
      c = d;
      d = e;
      e = next_e;
      u_before = next_before;
      m = next_m;
      p += sx;
      old += sx;
      slowness += sx;
      to += sx;
      if (HAS_LARGE_PLANES) __syncthreads();
    }
  }
  inject_when_last(next, medium, sources, finished);
}
