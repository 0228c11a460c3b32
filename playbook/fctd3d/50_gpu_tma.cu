// fctd3d in one pass per step: blocks march through all planes along x in step with each other, fed by the copy engine
// several planes ahead; tiles are as high as it takes to give every multiprocessor one.
// SPDX-License-Identifier: Apache-2.0
// kw: technique TMA, multistage pipeline, register queue, whole waves, streaming stores, programmatic dependent launch
// kw: require arch >= sm_90
// kw: tune BZ = 128, 64
// kw: tune DEPTH = 6, 4, 8         // planes of before and m in flight
// kw: tune PER_SM = 1, 2
// kw: tune TURN = 1, 0         // every second step begins where the one before it ended
// kw: let RING = DEPTH + 2, MOST_THREADS = 640
// kw: workspace finished u32 [nt] zeroed
// kw: when nz % 4 == 0
// kw:   let ACROSS = ceil_div(nz, BZ), SLOTS = sms * PER_SM
// kw:   let ROOM = shared_max / PER_SM - 2048 - RING * (BZ + 8) * 16
// kw:   let MOST = max(1, min(MOST_THREADS * 4 / BZ, ROOM / (RING * (BZ + 8) * 4 + DEPTH * BZ * 8)))
// kw:   let WAVES = ceil_div(ACROSS * ceil_div(ny, MOST), SLOTS)
// kw:   let ROWS = min(MOST, ceil_div(ny, max(1, SLOTS * WAVES / ACROSS)))
// kw:   let PLANE = align_up((BZ + 8) * (ROWS + 4) * 4, 128)
// kw:   for t = 0 .. nt
// kw:     map now = u[t % 3] sizes(nz + 8, ny + 8, nx + 8) strides((nz + 8) * 4, (nz + 8) * (ny + 8) * 4) box(BZ + 8, ROWS + 4, 1)
// kw:     map before = u[(t + 2) % 3] sizes(nz + 8, ny + 8, nx + 8) strides((nz + 8) * 4, (nz + 8) * (ny + 8) * 4) box(BZ, ROWS, 1)
// kw:     map slow = m sizes(nz + 8, ny + 8, nx + 8) strides((nz + 8) * 4, (nz + 8) * (ny + 8) * 4) box(BZ, ROWS, 1)
// kw:     launch step_boxes grid(ACROSS, ceil_div(ny, ROWS)) block(BZ / 4, ROWS) pdl shared(
// kw:       RING * PLANE + DEPTH * ROWS * BZ * 8 + RING * 8) args(now, before, slow, u[(t + 1) % 3], PLANE,
// kw:       struct(nx, ny, nz, f32(dt * dt), f32(1 / (hx * hx)), f32(1 / (hy * hy)), f32(1 / (hx * hx) + 1 / (hy * hy) + 1 / (hz * hz))),
// kw:       struct(m, src[t], src_coords, nsrc, hx, hy, hz, ox, oy, oz), TURN * (t % 2), finished[t])
// kw:   end
// kw: else
// kw:   for t = 0 .. nt
// kw:     launch step_scalar grid(ceil_div(nz, 32), ceil_div(ny, 8), ceil_div(nx, 16)) block(32, 8) args(
// kw:       u[(t + 1) % 3], u[t % 3], u[(t + 2) % 3], struct(nx, ny, nz, f32(dt * dt), f32(1 / (hx * hx)), f32(1 / (hy * hy)), f32(1 / (hx * hx) + 1 / (hy * hy) + 1 / (hz * hz))),
// kw:       struct(m, src[t], src_coords, nsrc, hx, hy, hz, ox, oy, oz), finished[t])
// kw:   end
// kw: end

extern __shared__ __align__(128) float4 dynamic_shared[];

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

// A transaction barrier in shared memory, and boxes that the copy engine brings and reports to it.
static __device__ __forceinline__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

static __device__ __forceinline__ void make_barrier(unsigned long long* barrier) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
#endif
}

// Barriers are made before anyone uses them, the copy engine included.
static __device__ __forceinline__ void barriers_made() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

static __device__ __forceinline__ void expect_bytes(unsigned long long* barrier, int bytes) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                   shared_address(barrier)),
               "r"(bytes)
               : "memory");
#endif
}

static __device__ __forceinline__ void wait_for(unsigned long long* barrier, unsigned parity) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra ready;\n"
      "bra again;\n"
      "ready:\n"
      "}\n" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
#endif
}

static __device__ __forceinline__ void load_box(float* to, const CUtensorMap& map, int z, int y,
                                                int x, unsigned long long* barrier) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4, %5}], [%2];" ::"r"(shared_address(to)),
      "l"(&map), "r"(shared_address(barrier)), "r"(z), "r"(y), "r"(x)
      : "memory");
#endif
}

// Step k of a block's march brings the march's plane k - 2 of now with its halo, and from k = 4 on its plane k - 4 of
// before and of m. Its plane x of next needs steps up to x + 4.
extern "C" __global__ void __launch_bounds__(MOST_THREADS)
    step_boxes(const __grid_constant__ CUtensorMap now, const __grid_constant__ CUtensorMap before,
               const __grid_constant__ CUtensorMap slow, float* __restrict__ next, int plane_bytes,
               Medium medium, Sources sources, int turned, unsigned* finished) {
  const int rows = blockDim.y, pitch = BZ + 8, still = rows * BZ;
  float* planes = reinterpret_cast<float*>(dynamic_shared);
  const int plane = plane_bytes / 4;
  float* stills = planes + RING * plane;
  auto* barriers = reinterpret_cast<unsigned long long*>(stills + DEPTH * 2 * still);
  const int z0 = blockIdx.x * BZ, y0 = blockIdx.y * rows;
  const int steps = medium.nx + 4;
  const bool is_loader = threadIdx.x == 0 && threadIdx.y == 0;
  if (is_loader) {
    for (int i = 0; i < RING; ++i) make_barrier(barriers + i);
    barriers_made();
  }
  __syncthreads();
  wait_for_launch_before();
  // Where the march's plane x lies among the planes with their halo.
  const auto plane_of = [&](int x) { return turned ? medium.nx + 3 - x : x + 4; };
  const auto begin = [&](int k) {
    if (!is_loader || k >= steps) return;
    const int slot = k % RING;
    expect_bytes(barriers + slot,
                 pitch * (rows + 4) * 4 + (k >= 4 ? 2 * still * static_cast<int>(sizeof(float)) : 0));
    const int x = plane_of(k - 2);
    load_box(planes + slot * plane, now, z0, y0 + 2, x, barriers + slot);
    if (k < 4) return;
    float* to = stills + (k - 4) % DEPTH * 2 * still;
    const int centre = plane_of(k - 4);
    load_box(to, before, z0 + 4, y0 + 4, centre, barriers + slot);
    load_box(to + still, slow, z0 + 4, y0 + 4, centre, barriers + slot);
  };
  for (int k = 0; k < RING; ++k) begin(k);
  const int own = (threadIdx.y + 2) * pitch + 4 + threadIdx.x * 4;
  const auto own_of = [&](int slot) {
    return *reinterpret_cast<const float4*>(planes + slot * plane + own);
  };
  float4 a, b, c, d;
  for (int k = 0; k < 4; ++k) wait_for(barriers + k, 0);
  a = own_of(0);
  b = own_of(1);
  c = own_of(2);
  d = own_of(3);
  __syncthreads();
  begin(RING);
  begin(RING + 1);
  const int z = z0 + threadIdx.x * 4, y = y0 + threadIdx.y;
  const int sy = medium.nz + 8, sx = sy * (medium.ny + 8);
  const bool has_points = z < medium.nz && y < medium.ny;
  float* to = next + static_cast<long long>(plane_of(0)) * sx + (y + 4) * sy + z + 4;
  int centre = 2, newest = 4 % RING, held = 0;
  unsigned parity = 4 / RING & 1;
  for (int x = 0; x < medium.nx; ++x, to += turned ? -sx : sx) {
    wait_for(barriers + newest, parity);
    const float4 e = own_of(newest);
    const float* p = planes + centre * plane + own;
    const auto at = [&](int offset) { return *reinterpret_cast<const float4*>(p + offset); };
    const float4 y1 = sum(at(-pitch), at(pitch));
    const float4 y2 = sum(at(-2 * pitch), at(2 * pitch));
    const float2 left = *reinterpret_cast<const float2*>(p - 2);
    const float2 right = *reinterpret_cast<const float2*>(p + 4);
    const float4* kept = reinterpret_cast<const float4*>(stills + held * 2 * still) +
                         threadIdx.y * (BZ / 4) + threadIdx.x;
    const float4 v = points(c, sum(b, d), sum(a, e), y1, y2, left, right, kept[0], kept[still / 4],
                            medium);
    if (has_points) __stcs(reinterpret_cast<float4*>(to), v);
    a = b;
    b = c;
    c = d;
    d = e;
    __syncthreads();  // Everyone is done with plane x - 2 and with what was held.
    begin(x + 2 + RING);
    centre = centre + 1 == RING ? 0 : centre + 1;
    held = held + 1 == DEPTH ? 0 : held + 1;
    if (++newest == RING) {
      newest = 0;
      parity ^= 1;
    }
  }
  inject_when_last(next, medium, sources, finished);
}
