// conv2d as a matrix product on tensor cores in three tf32 products, its right side gathered from the images.
// SPDX-License-Identifier: Apache-2.0
// kw: technique implicit gemm, tensor cores, split precision, asynchronous copies, multistage pipeline
// kw: tune STAGES = 3, 4, 2
// kw: tune GROUP = 8, 2, 16
// kw: let BK = 32
// kw: let LARGE = STAGES * (128 * 36 + 32 * 136) * 4, FLAT = STAGES * (64 * 36 + 32 * 136) * 4
// kw: require LARGE <= shared_max
// kw: when ci * kh * kw >= 32 && ci * kh * kw <= 65536
// kw:   table places i32 [p < ci * kh * kw : p / (kh * kw) * h * w + p / kw % kh * w + p % kw]
// kw:   table windows i32 [p < ci * kh * kw : p / kw % kh * 65536 + p % kw]
// kw:   when co <= 64 || (co - 1) % 128 < 64
// kw:     launch conv2d_flat grid(ceil_div(co, 64) * ceil_div(n * ho * wo, 128)) block(128) shared(FLAT) args(
// kw:       struct(n, ci, co, h, w, kh, kw, stride, pad, ho, wo), places, windows, x, f, y)
// kw:   else
// kw:     launch conv2d_large grid(ceil_div(co, 128) * ceil_div(n * ho * wo, 128)) block(256) shared(LARGE) args(
// kw:       struct(n, ci, co, h, w, kh, kw, stride, pad, ho, wo), places, windows, x, f, y)
// kw:   end
// kw: else
// kw:   launch conv2d_plain grid(ceil_div(ho * wo, 256), min(n * co, 65535)) block(256) args(struct(n, ci, co, h, w, kh, kw, stride, pad, ho, wo), x, f, y)
// kw: end

extern __shared__ float4 dynamic_shared[];

// Copies to shared memory in the background; without `has` nothing is read and zeros are written.
// Copies arrive in the order of the groups that `end_group` closes.
static __device__ __forceinline__ void copy4(float* to, const float* from, bool has) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from), "r"(has ? 4 : 0)
               : "memory");
#else
  *to = has ? *from : 0.0f;
#endif
}

// Copies the first `many` of four elements; the others become zeros.
static __device__ __forceinline__ void copy16(float* to, const float* from, int many) {
  many = max(0, min(many, 4));
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from), "r"(many * 4)
               : "memory");
#else
  for (int i = 0; i < 4; ++i) to[i] = i < many ? from[i] : 0.0f;
#endif
}

static __device__ __forceinline__ void end_group() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until at most PENDING groups of the calling thread are under way.
template <int PENDING>
static __device__ __forceinline__ void wait_groups() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
#endif
}

struct Tile {
  int i, j;  // first row and column
};

// Tiles are taken GROUP rows at a time, column by column, so that blocks that run at once share
// operands.
static __device__ __forceinline__ Tile tile_of(int index, int m, int n, int bm, int bn) {
  const int rows = (m + bm - 1) / bm, columns = (n + bn - 1) / bn;
  const int band = index / (GROUP * columns);
  const int height = min(GROUP, rows - band * GROUP);
  const int within = index % (GROUP * columns);
  return {(band * GROUP + within % height) * bm, within / height * bn};
}

// d += a b for 16 x 8 products of 8, all in tf32 with float32 sums. Lane (g, t) = (lane / 4, lane % 4)
// holds a at rows g and g + 8, columns t and t + 4; b at rows t and t + 4, column g; d at rows g and
// g + 8, columns 2 t and 2 t + 1.
static __device__ __forceinline__ void mma(float (&d)[4], const float (&a)[4],
                                           const float (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
        "r"(__float_as_uint(a[3])), "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
#else  // Without such an instruction the lanes compute one after the other.
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  for (int p = 0; p < 8; ++p) {
    const float low = __shfl_sync(0xffffffffu, a[p / 4 * 2], g * 4 + p % 4);
    const float high = __shfl_sync(0xffffffffu, a[p / 4 * 2 + 1], g * 4 + p % 4);
    const float left = __shfl_sync(0xffffffffu, b[p / 4], 2 * t * 4 + p % 4);
    const float right = __shfl_sync(0xffffffffu, b[p / 4], (2 * t + 1) * 4 + p % 4);
    d[0] += low * left;
    d[1] += low * right;
    d[2] += high * left;
    d[3] += high * right;
  }
#endif
}

// x = high + low, where high is rounded to the 11 bits of tf32. The matrix unit drops the bits of
// low beyond 11.
static __device__ __forceinline__ void split(float x, float& high, float& low) {
  high = __uint_as_float((__float_as_uint(x) + 0x1000u) & 0xffffe000u);
  low = x - high;
}

// Each warp has 64 x 32 elements of the block. The matrix unit truncates its sums instead of
// rounding them, so it adds up only BK products at a time, and plain additions add up these sums.
template <int BN>
static __device__ __forceinline__ void multiply(const float* as, const float* bs,
                                                float (&sum)[4][4][4]) {
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  as += (warp / (BN / 32) * 64 + g) * (BK + 4) + t;
  bs += t * (BN + 8) + warp % (BN / 32) * 32 + g;
  float part[4][4][4] = {};
#pragma unroll
  for (int p = 0; p < BK; p += 8) {
    float b_high[4][2], b_low[4][2];
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int e = 0; e < 2; ++e)
        split(bs[(p + 4 * e) * (BN + 8) + 8 * j], b_high[j][e], b_low[j][e]);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      float a_high[4], a_low[4];
#pragma unroll
      for (int e = 0; e < 4; ++e)
        split(as[(16 * i + e % 2 * 8) * (BK + 4) + p + e / 2 * 4], a_high[e], a_low[e]);
      // The small terms are added first. Four independent sums in a row hide the matrix unit's
      // latency.
#pragma unroll
      for (int j = 0; j < 4; ++j) mma(part[i][j], a_low, b_high[j]);
#pragma unroll
      for (int j = 0; j < 4; ++j) mma(part[i][j], a_high, b_low[j]);
#pragma unroll
      for (int j = 0; j < 4; ++j) mma(part[i][j], a_high, b_high[j]);
    }
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) sum[i][j][e] += part[i][j][e];
}

// The convolution as a matrix product: co rows, a column for each pixel of all images, and ci kh kw
// products in each sum.
struct Shape {
  int n, ci, co, h, w, kh, kw, stride, pad, ho, wo;

  __device__ int depth() const { return ci * kh * kw; }
};

// A column's window: where the window begins in x, and at which row and column of the image.
struct Window {
  const float* from;
  int row, column;

  __device__ Window(const Shape& s, const float* x, long long pixel) {
    const long long image = pixel / (s.ho * s.wo);
    const int rest = static_cast<int>(pixel - image * (s.ho * s.wo));
    row = image < s.n ? rest / s.wo * s.stride - s.pad : -(1 << 20);
    column = rest % s.wo * s.stride - s.pad;
    from = x + image * s.ci * s.h * s.w + static_cast<long long>(row) * s.w + column;
  }
  __device__ __forceinline__ bool has(const Shape& s, int window) const {
    return static_cast<unsigned>(row + (window >> 16)) < static_cast<unsigned>(s.h) &&
           static_cast<unsigned>(column + (window & 0xffff)) < static_cast<unsigned>(s.w);
  }
};

template <int BM, int BN>
static __device__ __forceinline__ void product_of(const Shape& s, const int* places,
                                                  const int* windows, const float* x,
                                                  const float* f, float* y) {
  constexpr int THREADS = BM * BN / 64, B_AT = BM * (BK + 4), SIZE = B_AT + BK * (BN + 8);
  float* stages = reinterpret_cast<float*>(dynamic_shared);
  const int pixels = s.ho * s.wo, depth = s.depth();
  const Tile tile = tile_of(blockIdx.x, s.co, s.n * pixels, BM, BN);
  // A thread gathers for the same pixel in every stage.
  const int mine = threadIdx.x % BN;
  const Window window(s, x, static_cast<long long>(tile.j) + mine);
  const auto load = [&](int turn, float* stage) {
    const int p0 = turn * BK;
    if (depth % 4 == 0) {
#pragma unroll
      for (int e = threadIdx.x; e < BM * BK / 4; e += THREADS) {
        const int i = e / (BK / 4), p = e % (BK / 4) * 4;
        copy16(stage + i * (BK + 4) + p, f + static_cast<long long>(tile.i + i) * depth + p0 + p,
               tile.i + i < s.co ? depth - p0 - p : 0);
      }
    } else {
      for (int e = threadIdx.x; e < BM * BK; e += THREADS) {
        const int i = e / BK, p = e % BK;
        copy4(stage + i * (BK + 4) + p, f + static_cast<long long>(tile.i + i) * depth + p0 + p,
              tile.i + i < s.co && p0 + p < depth);
      }
    }
#pragma unroll 4
    for (int p = threadIdx.x / BN; p < BK; p += THREADS / BN) {
      const bool is_inside = p0 + p < depth;
      const int place = is_inside ? __ldg(places + p0 + p) : 0;
      const int at = is_inside ? __ldg(windows + p0 + p) : 0;
      copy4(stage + B_AT + p * (BN + 8) + mine, window.from + place,
            is_inside && window.has(s, at));
    }
  };
  const int turns = (depth + BK - 1) / BK;
#pragma unroll
  for (int t = 0; t < STAGES - 1; ++t) {
    if (t < turns) load(t, stages + t * SIZE);
    end_group();
  }
  float sum[4][4][4] = {};
  int read = 0, write = STAGES - 1;
  for (int turn = 0; turn < turns; ++turn) {
    wait_groups<STAGES - 2>();
    __syncthreads();
    if (turn + STAGES - 1 < turns) load(turn + STAGES - 1, stages + write * SIZE);
    end_group();
    multiply<BN>(stages + read * SIZE, stages + read * SIZE + B_AT, sum);
    read = read + 1 == STAGES ? 0 : read + 1;
    write = write + 1 == STAGES ? 0 : write + 1;
  }
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    const int pixel = tile.j + warp % (BN / 32) * 32 + j / 2 * 8 + 2 * t + j % 2;
    if (pixel >= s.n * pixels) continue;
    float* to = y + static_cast<long long>(pixel / pixels) * s.co * pixels + pixel % pixels;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int row = tile.i + warp / (BN / 32) * 64 + i / 2 * 16 + i % 2 * 8 + g;
      if (row < s.co)
        to[static_cast<long long>(row) * pixels] = sum[i / 2][j / 2][i % 2 * 2 + j % 2];
    }
  }
}

extern "C" __global__ void __launch_bounds__(256, 1)
    conv2d_large(Shape s, const int* __restrict__ places, const int* __restrict__ windows,
                 const float* __restrict__ x, const float* __restrict__ f,
                 float* __restrict__ y) {
  product_of<128, 128>(s, places, windows, x, f, y);
}

extern "C" __global__ void __launch_bounds__(128, 2)
    conv2d_flat(Shape s, const int* __restrict__ places, const int* __restrict__ windows,
                const float* __restrict__ x, const float* __restrict__ f, float* __restrict__ y) {
  product_of<64, 128>(s, places, windows, x, f, y);
}

extern "C" __global__ void __launch_bounds__(256)
    conv2d_plain(Shape s, const float* __restrict__ x, const float* __restrict__ f,
                 float* __restrict__ y) {
  const int pixel = blockIdx.x * 256 + threadIdx.x;
  if (pixel >= s.ho * s.wo) return;
  const int row = pixel / s.wo * s.stride - s.pad, column = pixel % s.wo * s.stride - s.pad;
  for (int image = blockIdx.y; image < s.n * s.co; image += gridDim.y) {
    const float* in = x + static_cast<long long>(image / s.co) * s.ci * s.h * s.w;
    const float* weight = f + static_cast<long long>(image % s.co) * s.depth();
    float sum = 0.0f;
    for (int c = 0; c < s.ci; ++c, in += static_cast<long long>(s.h) * s.w)
      for (int a = 0; a < s.kh; ++a)
        for (int b = 0; b < s.kw; ++b, ++weight) {
          const int i = row + a, j = column + b;
          if (i >= 0 && i < s.h && j >= 0 && j < s.w)
            sum += *weight * in[static_cast<long long>(i) * s.w + j];
        }
    y[static_cast<long long>(image) * s.ho * s.wo + pixel] = sum;
  }
}
