// Blocks are taken in order. A thread sums its block, waits for the sum of the blocks before,
// passes the new sum on, and scans the block, which is still in its cache, with non-temporal stores
// while its next block is fetched.
// SPDX-License-Identifier: Apache-2.0
// kw: tune BLOCK = 16384, 8192, 32768, 65536
// kw: tune AHEAD = 1, 0
// kw: tune STREAM = 1, 0
// kw: tune LANES = 16, 8
// kw: technique vectorization, prefix_in_registers, chained_blocks, prefetch, nontemporal_stores, threads
#include <omp.h>
#include <sched.h>
#include <stddef.h>

#include <utility>

typedef float Vec __attribute__((vector_size(LANES * 4), may_alias));
typedef float Half __attribute__((vector_size(32), may_alias));
typedef std::make_integer_sequence<int, LANES> Lanes;

static inline Vec load(const float* from) {
  Vec value;  // copied, because from is aligned to one element only
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}

// Stores a vector to an aligned address, with a non-temporal store where STREAM is set.
static inline void put(float* to, Vec value) {
#if !STREAM
  *(Vec*)to = value;
#elif defined(__clang__)
  __builtin_nontemporal_store(value, (Vec*)to);
#elif LANES == 16 && defined(__AVX512F__)
  __builtin_ia32_movntps512(to, value);
#else
  Half half[LANES / 8];
  __builtin_memcpy(half, &value, sizeof value);
  for (int i = 0; i < LANES / 8; ++i) __builtin_ia32_movntps256(to + 8 * i, half[i]);
#endif
}

// v shifted up by BY lanes, with zeros below.
template <int BY, int... LANE>
static inline Vec moved(Vec v, std::integer_sequence<int, LANE...>) {
  return __builtin_shufflevector(v, Vec{}, (LANE < BY ? LANES : LANE - BY)...);
}

template <int... LANE>
static inline Vec last_of(Vec v, std::integer_sequence<int, LANE...>) {
  return __builtin_shufflevector(v, v, (LANE * 0 + LANES - 1)...);
}

static float sum_run(const float* in, int count) {
  Vec sum[4] = {};
  int i = 0;
  for (; i + 4 * LANES <= count; i += 4 * LANES) {
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) sum[k] += load(in + i + k * LANES);
  }
  const Vec all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  float total = 0;
  for (; i < count; ++i) total += in[i];
  for (int k = 0; k < LANES; ++k) total += all[k];
  return total;
}

// out = sum + prefix sums of in; returns the last of them. `upcoming` is fetched meanwhile.
static float scan_run(const float* in, int count, float sum, float* out, const float* upcoming) {
  int i = 0;
  for (; i < count && ((size_t)(out + i) & (LANES * 4 - 1)) != 0; ++i) out[i] = sum += in[i];
  Vec before = sum - Vec{};
  for (; i + LANES <= count; i += LANES) {
    if (AHEAD && upcoming) __builtin_prefetch(upcoming + i, 0, 2);
    Vec v = load(in + i);
    v += moved<1>(v, Lanes());
    v += moved<2>(v, Lanes());
    v += moved<4>(v, Lanes());
    if constexpr (LANES > 8) v += moved<8>(v, Lanes());
    put(out + i, v + before);
    before += last_of(v, Lanes());
  }
  sum = before[0];
  for (; i < count; ++i) out[i] = sum += in[i];
  return sum;
}

void scan(int rows, int cols, int pitch, const float* x, float* y) {
  if (rows >= 4 * omp_get_max_threads()) {
#pragma omp parallel
    {
#pragma omp for schedule(static)
      for (int r = 0; r < rows; ++r) {
        scan_run(x + (size_t)r * pitch, cols, 0, y + (size_t)r * pitch, nullptr);
      }
      __builtin_ia32_sfence();  // streamed stores are ordered before the threads join
    }
    return;
  }
  const unsigned per_row = ((unsigned)cols + BLOCK - 1) / BLOCK, blocks = per_row * rows;
  unsigned next = 0;
  // Holds the block whose turn it is in the low half, and the bits of the sum before that block in
  // the high half.
  unsigned long long turn = 0;
#pragma omp parallel
  {
    const auto start_of = [=](unsigned block) {
      return (size_t)(block / per_row) * pitch + (size_t)(block % per_row) * BLOCK;
    };
    unsigned block = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);
    while (block < blocks) {
      const size_t start = start_of(block);
      const unsigned c = block % per_row * BLOCK;
      const int count = cols - c < BLOCK ? cols - c : BLOCK;
      const float own = sum_run(x + start, count);
      unsigned long long now;
      // The thread with the previous block took that block earlier, so this wait always ends. On a
      // busy machine that thread may have lost its core, which a waiting thread must not keep.
      for (int tries = 0; (unsigned)(now = __atomic_load_n(&turn, __ATOMIC_RELAXED)) != block;) {
        if (++tries % 256 != 0) {
          __builtin_ia32_pause();
        } else {
          sched_yield();
        }
      }
      const unsigned bits = (unsigned)(now >> 32);
      float before;
      __builtin_memcpy(&before, &bits, sizeof before);
      const float after = block % per_row + 1 == per_row ? 0 : before + own;
      unsigned after_bits;
      __builtin_memcpy(&after_bits, &after, sizeof after_bits);
      __atomic_store_n(&turn, (unsigned long long)after_bits << 32 | (block + 1), __ATOMIC_RELAXED);
      const unsigned following = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);
      scan_run(x + start, count, before, y + start, following < blocks ? x + start_of(following) : nullptr);
      block = following;
    }
    __builtin_ia32_sfence();  // streamed stores are ordered before the threads join
  }
}
