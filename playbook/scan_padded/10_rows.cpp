// Shares rows among the threads; each row is scanned in vectors whose sums are chained by one
// addition.
// SPDX-License-Identifier: Apache-2.0
// kw: tune LANES = 16, 8
// kw: technique vectorization, prefix_in_registers, threads
#include <stddef.h>

#include <utility>

typedef float Vec __attribute__((vector_size(LANES * 4), may_alias, aligned(4)));

// v shifted up by BY lanes, with zeros below.
template <int BY, int... LANE>
static inline Vec moved(Vec v, std::integer_sequence<int, LANE...>) {
  return __builtin_shufflevector(v, Vec{}, (LANE < BY ? LANES : LANE - BY)...);
}

template <int... LANE>
static inline Vec last_of(Vec v, std::integer_sequence<int, LANE...>) {
  return __builtin_shufflevector(v, v, (LANE * 0 + LANES - 1)...);
}

void scan(int rows, int cols, int pitch, const float* x, float* y) {
#pragma omp parallel for schedule(static)
  for (int r = 0; r < rows; ++r) {
    const float* in = x + (size_t)r * pitch;
    float* out = y + (size_t)r * pitch;
    constexpr auto lanes = std::make_integer_sequence<int, LANES>();
    Vec before = {};
    int c = 0;
    for (; c + LANES <= cols; c += LANES) {
      Vec v = *(const Vec*)(in + c);
      v += moved<1>(v, lanes);
      v += moved<2>(v, lanes);
      v += moved<4>(v, lanes);
      if constexpr (LANES > 8) v += moved<8>(v, lanes);
      *(Vec*)(out + c) = v + before;
      before += last_of(v, lanes);
    }
    float sum = before[0];
    for (; c < cols; ++c) out[c] = sum += in[c];
  }
}
