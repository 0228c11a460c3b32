// Evicts cache lines on x86-64 by CLFLUSHOPT where the processor has it, else by CLFLUSH, and
// copies by non-temporal stores of SSE2.
// SPDX-License-Identifier: Apache-2.0
#include "device/cache_lines.h"

#include <cpuid.h>
#include <immintrin.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/result.h"

namespace kw::device {
namespace {

constexpr std::size_t kLine = 64;

bool has_clflushopt() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_CLFLUSHOPT) != 0;
}

// const_cast: the intrinsics take no pointer to const, though nothing is changed.
char* first_line(std::span<const std::byte> bytes) {
  const auto* at = reinterpret_cast<const char*>(bytes.data());
  const auto inside = reinterpret_cast<std::uintptr_t>(at) % kLine;
  return const_cast<char*>(at - inside);
}

__attribute__((target("clflushopt"))) void evict_unordered(char* at, const char* end) {
  for (; at < end; at += kLine) _mm_clflushopt(at);
}

void evict_ordered(char* at, const char* end) {
  for (; at < end; at += kLine) _mm_clflush(at);
}

}  // namespace

void evict(std::span<const std::byte> bytes) {
  static const bool unordered = has_clflushopt();
  const auto* end = reinterpret_cast<const char*>(bytes.data()) + bytes.size();
  (unordered ? evict_unordered : evict_ordered)(first_line(bytes), end);
  _mm_mfence();  // waits until the eviction is done, not only begun
}

void copy_past_caches(std::span<std::byte> to, std::span<const std::byte> from) {
  KW_ASSERT(to.size() == from.size());
  std::byte* target = to.data();
  const std::byte* source = from.data();
  std::size_t left = to.size();
  const std::size_t skew = reinterpret_cast<std::uintptr_t>(target) % kLine;
  const std::size_t head = std::min(left, (kLine - skew) % kLine);
  if (head > 0) std::memcpy(target, source, head);
  target += head, source += head, left -= head;
  for (; left >= kLine; target += kLine, source += kLine, left -= kLine)
    for (std::size_t i = 0; i < kLine; i += sizeof(__m128i))
      _mm_stream_si128(reinterpret_cast<__m128i*>(target + i),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + i)));
  if (left > 0) std::memcpy(target, source, left);
  _mm_sfence();
}

}  // namespace kw::device
