// scan in one pass. With many rows a block marches along each row. With few long rows, blocks that
// all run at once take tiles in turn, publish each tile's total, and look back over earlier totals
// until one includes its whole prefix.
// SPDX-License-Identifier: Apache-2.0
// kw: technique decoupled look-back, single pass scan, vectorization, warp shuffles, loads in flight, persistent blocks
// kw: tune VECTORS = 16, 12, 8, 24     // of a thread in a tile, where tiles are many
// kw: tune THREADS = 192, 256, 384, 512
// kw: tune STAY = 2, 1     // blocks of a multiprocessor that take tiles
// kw: tune WHOLE = 16384, 4096     // rows up to this long are one block's
// kw: tune STEP = 8, 4     // vectors of a thread in a turn of a marching block
// kw: let TILE = THREADS * VECTORS * 4
// kw: let FEW = THREADS * 4 * 4
// kw: when cols <= 509
// kw:   launch scan_short grid(ceil_div(rows, 8)) block(256) args(rows, cols, pitch, x, y)
// kw: else when cols <= 4093
// kw:   launch scan_medium grid(rows) block(128) args(cols, pitch, x, y)
// kw: else when cols <= WHOLE
// kw:   launch scan_wide grid(rows) block(544) args(cols, pitch, x, y)
// kw: else when rows >= 8 * sms
// kw:   launch scan_march grid(rows) block(256) args(cols, pitch, x, y)
// kw: else when rows * ceil_div(cols + 3, TILE) >= STAY * sms
// kw:   let PARTS = ceil_div(cols + 3, TILE)
// kw:   workspace state u64 [rows, PARTS] zeroed
// kw:   launch scan_tiles grid(STAY * sms) block(THREADS) cooperative args(rows, cols, pitch, PARTS, x, state, y)
// kw: else
// kw:   let PARTS = ceil_div(cols + 3, FEW)
// kw:   workspace state u64 [rows, PARTS] zeroed
// kw:   launch scan_few_tiles grid(min(rows * PARTS, STAY * sms)) block(THREADS) cooperative args(
// kw:     rows, cols, pitch, PARTS, x, state, y)
// kw: end

// A row that begins anywhere, in vectors of sixteen aligned bytes. The first and the last vector
// may also hold elements outside the row.
struct Row {
  long long at;  // index of the first vector
  int skip, end;  // the range of the row's elements, counted from `at`

  __device__ Row(long long row, int cols, int pitch) {
    at = row * pitch;
    skip = static_cast<int>(at & 3);
    at -= skip;
    end = skip + cols;
  }
  __device__ __forceinline__ float4 load(const float* x, int vector) const {
    const float* from = x + at + 4LL * vector;
    const int e = 4 * vector;
    if (e >= skip && e + 3 < end) return __ldg(reinterpret_cast<const float4*>(from));
    return make_float4(e >= skip && e < end ? from[0] : 0.0f,
                       e + 1 >= skip && e + 1 < end ? from[1] : 0.0f,
                       e + 2 >= skip && e + 2 < end ? from[2] : 0.0f,
                       e + 3 >= skip && e + 3 < end ? from[3] : 0.0f);
  }
  __device__ __forceinline__ void store(float* y, int vector, float4 v) const {
    float* to = y + at + 4LL * vector;
    const int e = 4 * vector;
    if (e >= skip && e + 3 < end) {
      __stwb(reinterpret_cast<float4*>(to), v);  // a plain assignment would become four stores
      return;
    }
    if (e >= skip && e < end) to[0] = v.x;
    if (e + 1 >= skip && e + 1 < end) to[1] = v.y;
    if (e + 2 >= skip && e + 2 < end) to[2] = v.z;
    if (e + 3 >= skip && e + 3 < end) to[3] = v.w;
  }
};

// Replaces a warp's ITEMS * 32 vectors, which are neighbours in memory, by their prefix sums, and
// returns the total. The vectors of a lane are 32 apart; their scans over the warp do not wait for
// each other.
template <int ITEMS>
static __device__ __forceinline__ float scan_warp(float4 (&v)[ITEMS]) {
  const int lane = threadIdx.x % 32;
  float incl[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    v[k].y += v[k].x;
    v[k].z += v[k].y;
    v[k].w += v[k].z;
    incl[k] = v[k].w;
  }
#pragma unroll
  for (int far = 1; far < 32; far *= 2)
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
      const float left = __shfl_up_sync(0xffffffffu, incl[k], far);
      if (lane >= far) incl[k] += left;
    }
  float carry = 0.0f;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    const float left = __shfl_up_sync(0xffffffffu, incl[k], 1);
    const float before = carry + (lane > 0 ? left : 0.0f);
    carry += __shfl_sync(0xffffffffu, incl[k], 31);
    v[k] = make_float4(v[k].x + before, v[k].y + before, v[k].z + before, v[k].w + before);
  }
  return carry;
}

template <int ITEMS>
static __device__ __forceinline__ void store_with(const Row& row, float* y, int first, float before,
                                                  const float4 (&v)[ITEMS]) {
#pragma unroll
  for (int k = 0; k < ITEMS; ++k)
    row.store(y, first + k * 32,
              make_float4(v[k].x + before, v[k].y + before, v[k].z + before, v[k].w + before));
}

// The sum of the warps before the calling thread's warp, and the sum of all warps.
template <int WARPS>
static __device__ __forceinline__ float before_warp(float total, float* totals, float& all) {
  if (threadIdx.x % 32 == 0) totals[threadIdx.x / 32] = total;
  __syncthreads();
  float before = 0.0f;
  all = 0.0f;
#pragma unroll
  for (int w = 0; w < WARPS; ++w) {
    if (w == threadIdx.x / 32) before = all;
    all += totals[w];
  }
  return before;
}

extern "C" __global__ void __launch_bounds__(256)
    scan_short(int rows, int cols, int pitch, const float* __restrict__ x, float* __restrict__ y) {
  const int r = blockIdx.x * 8 + threadIdx.x / 32;
  if (r >= rows) return;
  const Row row(r, cols, pitch);
  float4 v[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) v[k] = row.load(x, k * 32 + threadIdx.x % 32);
  scan_warp(v);
  store_with(row, y, threadIdx.x % 32, 0.0f, v);
}

template <int TEAM, int ITEMS>
static __device__ __forceinline__ void scan_row(int cols, int pitch, const float* x, float* y) {
  __shared__ float totals[TEAM / 32];
  const Row row(blockIdx.x, cols, pitch);
  const int first = threadIdx.x / 32 * (ITEMS * 32) + threadIdx.x % 32;
  float4 v[ITEMS];
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) v[k] = row.load(x, first + k * 32);
  float all;
  const float before = before_warp<TEAM / 32>(scan_warp(v), totals, all);
  store_with(row, y, first, before, v);
}

extern "C" __global__ void __launch_bounds__(128)
    scan_medium(int cols, int pitch, const float* __restrict__ x, float* __restrict__ y) {
  scan_row<128, 8>(cols, pitch, x, y);
}

extern "C" __global__ void __launch_bounds__(544)
    scan_wide(int cols, int pitch, const float* __restrict__ x, float* __restrict__ y) {
  scan_row<544, 8>(cols, pitch, x, y);
}

// Serves enough rows for every multiprocessor: a block marches along each row while the vectors of
// the next iteration are loaded.
extern "C" __global__ void __launch_bounds__(256)
    scan_march(int cols, int pitch, const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float totals[2][8];  // used by turns, so that one barrier in an iteration is enough
  const Row row(blockIdx.x, cols, pitch);
  const int first = threadIdx.x / 32 * (STEP * 32) + threadIdx.x % 32;
  const int turns = (row.end + 1024 * STEP - 1) / (1024 * STEP);
  float4 next[STEP];
#pragma unroll
  for (int k = 0; k < STEP; ++k) next[k] = row.load(x, first + k * 32);
  float carry = 0.0f;
  for (int turn = 0; turn < turns; ++turn) {
    const int at = turn * 256 * STEP + first;
    float4 v[STEP];
#pragma unroll
    for (int k = 0; k < STEP; ++k) v[k] = next[k];
    if (turn + 1 < turns) {
#pragma unroll
      for (int k = 0; k < STEP; ++k) next[k] = row.load(x, at + 256 * STEP + k * 32);
    }
    float all;
    const float before = before_warp<8>(scan_warp(v), totals[turn % 2], all);
    store_with(row, y, at, carry + before, v);
    carry += all;
  }
}

// State and value of a tile share one word, so that no thread sees one without the other.
enum State : unsigned { kNothing, kTotal, kPrefix };

static __device__ __forceinline__ void publish(unsigned long long* to, State state, float value) {
  *static_cast<volatile unsigned long long*>(to) =
      static_cast<unsigned long long>(state) << 32 | __float_as_uint(value);
}

// The sum of all tiles of a row before `part`. Called by one warp, whose lanes look at 32 tiles at
// a time.
static __device__ float look_back(const unsigned long long* states, int part) {
  float before = 0.0f;
  for (int last = part - 1;; last -= 32) {
    const int tile = last - static_cast<int>(threadIdx.x);
    unsigned long long word;
    do {
      word = tile >= 0 ? *static_cast<const volatile unsigned long long*>(states + tile)
                       : static_cast<unsigned long long>(kPrefix) << 32;
    } while (__any_sync(0xffffffffu, word >> 32 == kNothing));
    const unsigned known = __ballot_sync(0xffffffffu, word >> 32 == kPrefix);
    const int nearest = known != 0 ? __ffs(static_cast<int>(known)) - 1 : 31;
    float value = threadIdx.x <= nearest ? __uint_as_float(static_cast<unsigned>(word)) : 0.0f;
#pragma unroll
    for (int far = 16; far > 0; far /= 2) value += __shfl_xor_sync(0xffffffffu, value, far);
    before += value;
    if (known != 0) return before;
  }
}

// A thread's vectors of a tile.
template <int ITEMS>
static __device__ __forceinline__ void load_tile(const Row& row, const float* x, int first, float4 (&v)[ITEMS]) {
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) v[k] = row.load(x, first + k * 32);
}

// A block takes every gridDim.x-th tile. A tile waits only for earlier tiles, and all blocks run at
// once, so no block waits for one that cannot begin. The next tile's vectors are loaded while a
// block looks back.
template <int ITEMS>
static __device__ __forceinline__ void scan_in_turn(int rows, int cols, int pitch, int parts, const float* x,
                                                    unsigned long long* states, float* y) {
  __shared__ float totals[THREADS / 32];
  __shared__ float before_tile;
  const unsigned tiles = static_cast<unsigned>(rows) * static_cast<unsigned>(parts);
  const int own = threadIdx.x / 32 * (ITEMS * 32) + threadIdx.x % 32;
  const auto first_of = [&](unsigned tile) { return static_cast<int>(tile % parts) * (THREADS * ITEMS) + own; };
  float4 next[ITEMS];
  load_tile(Row(blockIdx.x / parts, cols, pitch), x, first_of(blockIdx.x), next);
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    float4 v[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) v[k] = next[k];
    const int part = static_cast<int>(tile % parts);
    unsigned long long* row_states = states + (tile - part);
    float all;
    const float before = before_warp<THREADS / 32>(scan_warp(v), totals, all);
    if (threadIdx.x == 0 && part > 0) publish(row_states + part, kTotal, all);
    const unsigned following = tile + gridDim.x;
    if (following < tiles) load_tile(Row(following / parts, cols, pitch), x, first_of(following), next);
    if (threadIdx.x < 32) {
      const float prefix = part > 0 ? look_back(row_states, part) : 0.0f;
      if (threadIdx.x == 0) {
        publish(row_states + part, kPrefix, prefix + all);
        before_tile = prefix;
      }
    }
    __syncthreads();
    store_with(Row(tile / parts, cols, pitch), y, first_of(tile), before_tile + before, v);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS, STAY)
    scan_tiles(int rows, int cols, int pitch, int parts, const float* __restrict__ x, unsigned long long* states,
               float* __restrict__ y) {
  scan_in_turn<VECTORS>(rows, cols, pitch, parts, x, states, y);
}

// Serves so few elements that large tiles would leave multiprocessors idle.
extern "C" __global__ void __launch_bounds__(THREADS, STAY)
    scan_few_tiles(int rows, int cols, int pitch, int parts, const float* __restrict__ x, unsigned long long* states,
                   float* __restrict__ y) {
  scan_in_turn<4>(rows, cols, pitch, parts, x, states, y);
}
