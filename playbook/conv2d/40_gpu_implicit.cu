// conv2d as a matrix product on plain FMA whose right side is never written: its columns are gathered from the images
// while they are copied to shared memory.
// SPDX-License-Identifier: Apache-2.0
// kw: technique implicit gemm, shared memory tiling, register tiling, asynchronous copies, multistage pipeline
// kw: tune BK = 8, 16
// kw: tune STAGES = 4, 3, 2
// kw: tune GROUP = 8, 2, 16
// kw: let LARGE = STAGES * BK * (132 + 128) * 4, FLAT = STAGES * BK * (68 + 128) * 4
// kw: when ci * kh * kw <= 65536
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

// Each warp has 32 x 64 elements of the block, arranged for 4 x 8 lanes; a thread owns 2 x 2 pieces
// of 4 x 4.
template <int BM, int BN>
struct Place {
  int row, column;

  __device__ Place() {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    row = warp / (BN / 64) * 32 + lane / 8 * 4;
    column = warp % (BN / 64) * 64 + lane % 8 * 4;
  }
};

template <int BM, int BN>
static __device__ __forceinline__ void multiply(const float* as, const float* bs,
                                                const Place<BM, BN>& place, float (&sum)[8][8]) {
#pragma unroll
  for (int p = 0; p < BK; ++p) {
    const float* a = as + p * (BM + 4) + place.row;
    const float* b = bs + p * BN + place.column;
    const float4 a0 = *reinterpret_cast<const float4*>(a);
    const float4 a1 = *reinterpret_cast<const float4*>(a + 16);
    const float4 b0 = *reinterpret_cast<const float4*>(b);
    const float4 b1 = *reinterpret_cast<const float4*>(b + 32);
    const float left[8] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
    const float right[8] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
      for (int j = 0; j < 8; ++j) sum[i][j] += left[i] * right[j];
  }
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
  constexpr int THREADS = BM * BN / 64, SIZE = BK * (BM + 4 + BN), STEP = THREADS / BN;
  float* stages = reinterpret_cast<float*>(dynamic_shared);
  const int pixels = s.ho * s.wo, depth = s.depth();
  const Tile tile = tile_of(blockIdx.x, s.co, s.n * pixels, BM, BN);
  // A thread gathers for the same pixel in every stage.
  const int mine = threadIdx.x % BN;
  const Window window(s, x, static_cast<long long>(tile.j) + mine);
  const int a_row = threadIdx.x / 8, a_p = threadIdx.x % 8;
  const float* a_from = f + static_cast<long long>(tile.i + a_row) * depth + a_p;
  const auto load = [&](int p0, float* stage) {
    float* to = stage + a_p * (BM + 4) + a_row;
#pragma unroll
    for (int p = 0; p < BK; p += 8)
#pragma unroll
      for (int i = 0; i < BM; i += THREADS / 8)
        copy4(to + p * (BM + 4) + i, a_from + static_cast<long long>(i) * depth + p0 + p,
              tile.i + a_row + i < s.co && p0 + a_p + p < depth);
#pragma unroll
    for (int p = threadIdx.x / BN; p < BK; p += STEP) {
      const bool is_inside = p0 + p < depth;
      const int place = is_inside ? __ldg(places + p0 + p) : 0;
      const int at = is_inside ? __ldg(windows + p0 + p) : 0;
      copy4(stage + BK * (BM + 4) + p * BN + mine, window.from + place,
            is_inside && window.has(s, at));
    }
  };
  const Place<BM, BN> place;
  const int turns = (depth + BK - 1) / BK;
#pragma unroll
  for (int t = 0; t < STAGES - 1; ++t) {
    if (t < turns) load(t * BK, stages + t * SIZE);
    end_group();
  }
  float sum[8][8] = {};
  int read = 0, write = STAGES - 1;
  for (int turn = 0; turn < turns; ++turn) {
    wait_groups<STAGES - 2>();
    __syncthreads();
    if (turn + STAGES - 1 < turns) load((turn + STAGES - 1) * BK, stages + write * SIZE);
    end_group();
    multiply<BM, BN>(stages + read * SIZE, stages + read * SIZE + BK * (BM + 4), place, sum);
    read = read + 1 == STAGES ? 0 : read + 1;
    write = write + 1 == STAGES ? 0 : write + 1;
  }
#pragma unroll
  for (int j = 0; j < 8; ++j) {
    const int pixel = tile.j + place.column + j % 4 + j / 4 * 32;
    if (pixel >= s.n * pixels) continue;
    float* to = y + static_cast<long long>(pixel / pixels) * s.co * pixels + pixel % pixels;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int row = tile.i + place.row + i % 4 + i / 4 * 16;
      if (row < s.co) to[static_cast<long long>(row) * pixels] = sum[i][j];
    }
  }
}

extern "C" __global__ void __launch_bounds__(256, 2)
    conv2d_large(Shape s, const int* __restrict__ places, const int* __restrict__ windows,
                 const float* __restrict__ x, const float* __restrict__ f,
                 float* __restrict__ y) {
  product_of<128, 128>(s, places, windows, x, f, y);
}

extern "C" __global__ void __launch_bounds__(128, 4)
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
