// Fills memory with poison, eight bytes at a time, with the widest vectors available.
// SPDX-License-Identifier: Apache-2.0
#include "device/poison.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "device/cache_lines.h"
#include "device/layout.h"
#include "device/random_values.h"

namespace kw::device {
namespace {

/// Number of eight-byte pairs that are made in the first-level cache before they are copied past
/// all caches.
constexpr std::int64_t kBlock = 512;
using Block = std::array<std::uint64_t, kBlock>;

[[gnu::always_inline]] inline void make(Block& block, std::uint64_t seed, std::uint64_t first) {
  for (std::uint64_t i = 0; i < kBlock; ++i) block[i] = poison_pair(seed, first + i);
}

using Make = void (*)(Block&, std::uint64_t, std::uint64_t);

void plain(Block& block, std::uint64_t seed, std::uint64_t first) { make(block, seed, first); }

#if defined(__x86_64__)
__attribute__((target("avx2"))) void with_avx2(Block& block, std::uint64_t seed,
                                               std::uint64_t first) {
  make(block, seed, first);
}

// AVX-512 has an instruction for 64-bit products. GCC takes vectors of 32 bytes unless it is told
// otherwise, by a word that clang does not know.
#if defined(__clang__)
#define KW_AVX512 "avx512f,avx512dq,avx512vl"
#else
#define KW_AVX512 "avx512f,avx512dq,avx512vl,prefer-vector-width=512"
#endif
__attribute__((target(KW_AVX512))) void with_avx512(Block& block, std::uint64_t seed,
                                                    std::uint64_t first) {
  make(block, seed, first);
}
#endif

Make best() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return with_avx512;
  if (__builtin_cpu_supports("avx2")) return with_avx2;
#endif
  return plain;
}

}  // namespace

void fill_poison(std::span<std::byte> memory, std::uint64_t seed, Parallel& parallel) {
  static const Make make_block = best();
  const auto pairs = static_cast<std::int64_t>(memory.size() / 8);
  const bool is_long = memory.size() >= kLong;
  const Pieces pieces({1, pairs, pairs});
  parallel.for_each(pieces.count(), [&](std::int64_t piece) {
    pieces.for_each_stretch(piece, [&](std::int64_t, std::int64_t column, std::int64_t n) {
      Block block;
      for (std::int64_t i = 0; i < n; i += kBlock) {
        make_block(block, seed, static_cast<std::uint64_t>(column + i));
        const auto bytes = static_cast<std::size_t>(std::min(kBlock, n - i)) * 8;
        const auto to = memory.subspan(static_cast<std::size_t>(column + i) * 8, bytes);
        const auto from = std::as_bytes(std::span(block)).first(bytes);
        if (is_long)
          copy_past_caches(to, from);
        else
          std::memcpy(to.data(), from.data(), bytes);
      }
    });
  });
  const std::uint64_t last = poison_pair(seed, static_cast<std::uint64_t>(pairs));
  std::memcpy(memory.data() + pairs * 8, &last, memory.size() % 8);
}

}  // namespace kw::device
