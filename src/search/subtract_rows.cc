// Keeps blocks of a row in registers while all other rows are subtracted; compiled with -O3, which
// unrolls the loops.
// SPDX-License-Identifier: Apache-2.0
#include "search/subtract_rows.h"

namespace kw::search {
namespace {

// Four doubles in one AVX register; without AVX the compiler uses two SSE registers.
typedef double Lanes __attribute__((vector_size(32), aligned(8), may_alias));
constexpr std::size_t kLanes = 4;

template <std::size_t kRegisters>
[[gnu::always_inline]] inline std::size_t subtract_blocks(std::span<double> row,
                                                          std::span<const double> by,
                                                          std::span<const std::vector<double>> rows,
                                                          std::size_t from) {
  constexpr std::size_t kBlock = kRegisters * kLanes;
  for (; from + kBlock <= row.size(); from += kBlock) {
    Lanes* const own = reinterpret_cast<Lanes*>(row.data() + from);
    Lanes sums[kRegisters];  // std::array would lose the alignment of the type
    for (std::size_t r = 0; r < kRegisters; ++r) sums[r] = own[r];
    for (std::size_t m = 0; m < by.size(); ++m) {
      const Lanes* const other = reinterpret_cast<const Lanes*>(rows[m].data() + from);
      for (std::size_t r = 0; r < kRegisters; ++r) sums[r] -= by[m] * other[r];
    }
    for (std::size_t r = 0; r < kRegisters; ++r) own[r] = sums[r];
  }
  return from;
}

[[gnu::always_inline]] inline void subtract(std::span<double> row, std::span<const double> by,
                                            std::span<const std::vector<double>> rows,
                                            std::size_t from) {
  from = subtract_blocks<4>(row, by, rows, from);
  from = subtract_blocks<1>(row, by, rows, from);
  for (; from < row.size(); ++from)
    for (std::size_t m = 0; m < by.size(); ++m) row[from] -= by[m] * rows[m][from];
}

#ifdef __x86_64__
// The same code compiled for AVX2. Its results have the same bits, since the target has no fused
// multiply-add.
[[gnu::target("avx2")]] void subtract_wide(std::span<double> row, std::span<const double> by,
                                           std::span<const std::vector<double>> rows,
                                           std::size_t from) {
  subtract(row, by, rows, from);
}
#endif

}  // namespace

void subtract_rows(std::span<double> row, std::span<const double> by,
                   std::span<const std::vector<double>> rows, std::size_t from) {
#ifdef __x86_64__
  static const bool is_wide = __builtin_cpu_supports("avx2") != 0;
  if (is_wide) return subtract_wide(row, by, rows, from);
#endif
  subtract(row, by, rows, from);
}

}  // namespace kw::search
