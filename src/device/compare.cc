// Compares tensors on the host: regions are cut into pieces, pieces into stretches; only stretches
// with failures are looked at twice.
// SPDX-License-Identifier: Apache-2.0
#include "device/compare.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

#include "device/compare_kernel.h"
#include "device/compare_region.h"
#include "device/element.h"
#include "device/layout.h"
#include "device/random_values.h"

namespace kw::device {
namespace {

/// Result of comparing one piece of a region.
struct Part {
  Totals totals;
  Comparison scalar;  ///< Sums over elements that were looked at one by one.
};

/// Whether two numbers are equal bit by bit at the output's type; for numbers that are not NaN.
template <class T>
bool is_same_bits(double got, double want) {
  const double rounded = as_type(want, static_cast<const T*>(nullptr));
  return std::bit_cast<std::uint64_t>(got) == std::bit_cast<std::uint64_t>(rounded);
}

/// How one element compares, by the definitions of Comparison.
struct Judged {
  bool is_failed = false;
  bool is_nonfinite_failed = false;
  double diff = 0;
  double fraction = 0;
};

template <class T>
Judged judge(T got, double want, double magnitude, const Allowance& allowance) {
  const double g = static_cast<double>(got);
  Judged j;
  if (!std::isfinite(g) || !std::isfinite(want)) {
    const bool matches = std::isnan(g) ? std::isnan(want) : g == want;
    j.is_failed = j.is_nonfinite_failed = !matches;
    return j;
  }
  j.diff = std::fabs(g - want);
  if (allowance.exact) {
    j.is_failed = !is_same_bits<T>(g, want);
  } else {
    const double allowed = allowance.of(std::fabs(want), magnitude);
    j.is_failed = j.diff > allowed;
    j.fraction = j.diff == 0   ? 0
                 : allowed > 0 ? j.diff / allowed
                               : std::numeric_limits<double>::infinity();
  }
  return j;
}

void note_mismatch(Comparison& c, const RegionRows& region, std::int64_t row, std::int64_t column,
                   double got, double want) {
  if (c.first.size() < kMostMismatches)
    c.first.push_back({region.coordinates(row, column), got, want});
}

/// Adds one element, finite or not, to the sums; its mismatch is listed elsewhere.
void add_to(Comparison& c, const Judged& j, double got, double want) {
  c.failed += j.is_failed;
  c.nonfinite_failed += j.is_nonfinite_failed;
  if (!std::isfinite(got) || !std::isfinite(want)) return;
  c.worst_fraction = std::max(c.worst_fraction, j.fraction);
  c.max_abs_diff = std::max(c.max_abs_diff, j.diff);
  c.max_abs_truth = std::max(c.max_abs_truth, std::fabs(want));
  c.sum_sq_diff += j.diff * j.diff;
  c.sum_sq_truth += want * want;
  c.sum_got += got;
  c.sum_want += want;
}

/// Elements of a row that the vector code compares at once, as a stretch. A stretch with a failure
/// is compared again, one element at a time.
constexpr std::int64_t kStretch = 2048;

template <class T>
struct RealRows {
  const T* got;
  const double* truth;
  const double* magnitude;
  const Allowance& allowance;

  void compare(const RegionRows& region, std::int64_t row, std::int64_t column, std::int64_t length,
               Part& part) const {
    const std::int64_t start = region.offset(row) + column;
    for (std::int64_t i = 0; i < length;) {
      const std::int64_t n = std::min(kStretch, length - i);
      const std::int64_t vectors = n / Totals::kLanes * Totals::kLanes;
      const std::int64_t before = part.totals.failed;
      const std::int64_t at = start + i;
      const bool taken =
          vectors > 0 &&
          accumulate(got + at, truth + at, magnitude != nullptr ? magnitude + at : nullptr,
                     static_cast<std::size_t>(vectors), allowance, part.totals);
      if (taken && part.totals.failed > before)
        visit(region, row, column + i, at, 0, vectors, part, false);
      visit(region, row, column + i, at, taken ? vectors : 0, n, part, true);
      i += n;
    }
  }

 private:
  /// Looks at elements one by one; `counts`: also adds them to the totals.
  void visit(const RegionRows& region, std::int64_t row, std::int64_t column, std::int64_t at,
             std::int64_t first, std::int64_t end, Part& part, bool counts) const {
    for (std::int64_t i = first; i < end; ++i) {
      const T g = got[at + i];
      const double want = truth[at + i];
      const Judged j = judge(g, want, magnitude != nullptr ? magnitude[at + i] : 0, allowance);
      if (counts) add_to(part.scalar, j, static_cast<double>(g), want);
      if (j.is_failed)
        note_mismatch(part.scalar, region, row, column + i, static_cast<double>(g), want);
    }
  }
};

template <class T>
Judged judge_integer(T got, T truth, const Allowance& allowance) {
  const double want = static_cast<double>(truth);
  Judged j;
  j.diff = std::fabs(static_cast<double>(got) - want);
  const double allowed = allowance.absolute + allowance.relative * std::fabs(want);
  j.is_failed = allowance.exact ? got != truth : j.diff > allowed;
  if (!allowance.exact && j.diff > 0)
    j.fraction = allowed > 0 ? j.diff / allowed : std::numeric_limits<double>::infinity();
  return j;
}

template <class T>
struct IntegerRows {
  const T* got;
  const T* truth;
  const Allowance& allowance;

  void compare(const RegionRows& region, std::int64_t row, std::int64_t column, std::int64_t length,
               Part& part) const {
    const std::int64_t start = region.offset(row) + column;
    for (std::int64_t i = 0; i < length; ++i) {
      const T g = got[start + i];
      const T w = truth[start + i];
      const double want = static_cast<double>(w);
      const Judged j = judge_integer(g, w, allowance);
      add_to(part.scalar, j, static_cast<double>(g), want);
      if (j.is_failed)
        note_mismatch(part.scalar, region, row, column + i, static_cast<double>(g), want);
    }
  }
};

ScalarTotals sum_of(const Part& part) {
  const Totals& t = part.totals;
  const Comparison& s = part.scalar;
  ScalarTotals sum{.compared = s.compared,
                   .failed = t.failed + s.failed,
                   .nonfinite_failed = s.nonfinite_failed,
                   .worst_fraction = s.worst_fraction,
                   .max_abs_diff = s.max_abs_diff,
                   .max_abs_truth = s.max_abs_truth,
                   .sum_sq_diff = s.sum_sq_diff,
                   .sum_sq_truth = s.sum_sq_truth,
                   .sum_got = s.sum_got,
                   .sum_want = s.sum_want};
  for (int i = 0; i < Totals::kLanes; ++i)
    add_lane(sum, {.max_abs_diff = t.max_abs_diff[i],
                   .max_abs_truth = t.max_abs_truth[i],
                   .sum_sq_diff = t.sum_sq_diff[i],
                   .sum_sq_truth = t.sum_sq_truth[i],
                   .sum_got = t.sum_got[i],
                   .sum_want = t.sum_want[i],
                   .worst_diff = t.worst_diff[i],
                   .worst_allowed = t.worst_allowed[i],
                   .failed = 0});
  return sum;
}

// The results of pieces are added up by segments, as on a GPU, so that host and GPU give the same
// bits.
Comparison merged(const std::vector<std::int64_t>& chosen, const std::vector<Part>& parts) {
  Comparison all;
  for (std::size_t i = 0; i < parts.size();) {
    const std::int64_t segment = chosen[i] / KW_SEGMENT;
    ScalarTotals sum = no_scalar();
    for (; i < parts.size() && chosen[i] / KW_SEGMENT == segment; ++i) {
      add_piece(sum, sum_of(parts[i]));
      for (const Mismatch& m : parts[i].scalar.first)
        if (all.first.size() < kMostMismatches) all.first.push_back(m);
    }
    merge(all, sum);
  }
  return all;
}

template <class RowsOf>
Comparison compare_all(const RowsOf& typed, const RegionRows& region, const Selection& selection,
                       Parallel& parallel) {
  const Pieces pieces(region.rows());
  const std::vector<std::int64_t> chosen = chosen_pieces(pieces, selection, 0, pieces.count());
  std::vector<Part> parts(chosen.size());
  parallel.for_each(static_cast<std::int64_t>(chosen.size()), [&](std::int64_t index) {
    const auto i = static_cast<std::size_t>(index);
    pieces.for_each_stretch(chosen[i], [&](std::int64_t row, std::int64_t column, std::int64_t n) {
      parts[i].scalar.compared += n;
      typed.compare(region, row, column, n, parts[i]);
    });
  });
  return merged(chosen, parts);
}

template <class T>
const T* as(std::span<const std::byte> memory) {
  return reinterpret_cast<const T*>(memory.data());
}

}  // namespace

Comparison compare_region(std::span<const std::byte> got, std::span<const std::byte> truth,
                          std::span<const std::byte> magnitude, const Tensor& tensor,
                          const Region& region, const Allowance& allowance,
                          const Selection& selection, Parallel& parallel) {
  const RegionRows rows(tensor, region);
  const auto real = [&]<class T>(const T* values) {
    const double* scale = magnitude.empty() ? nullptr : as<double>(magnitude);
    return compare_all(RealRows<T>{values, as<double>(truth), scale, allowance}, rows, selection,
                       parallel);
  };
  const auto integer = [&]<class T>(const T* values) {
    return compare_all(IntegerRows<T>{values, as<T>(truth), allowance}, rows, selection, parallel);
  };
  return with_element(tensor.dtype, [&]<class T>(T) {
    if constexpr (kIsInteger<T>)
      return integer(as<T>(got));
    else
      return real(as<T>(got));
  });
}

void ComparedRegion::note_mismatches(std::int64_t piece, const HostPiece& at,
                                     Comparison& into) const {
  const auto note = [&](const auto& stands, std::int64_t row, std::int64_t column, double got,
                        double want) {
    if (stands.is_failed) note_mismatch(into, rows_, row, column, got, want);
  };
  const auto real = [&]<class T>(const T* got) {
    const double* truth = as<double>(at.truth);
    const double* scale = at.magnitude.empty() ? nullptr : as<double>(at.magnitude);
    visit(piece, at.begin, [&](std::int64_t row, std::int64_t column, std::int64_t i) {
      note(judge(got[i], truth[i], scale != nullptr ? scale[i] : 0, allowance_), row, column,
           static_cast<double>(got[i]), truth[i]);
    });
  };
  const auto integer = [&]<class T>(const T* got) {
    const T* truth = as<T>(at.truth);
    visit(piece, at.begin, [&](std::int64_t row, std::int64_t column, std::int64_t i) {
      note(judge_integer(got[i], truth[i], allowance_), row, column, static_cast<double>(got[i]),
           static_cast<double>(truth[i]));
    });
  };
  with_element(dtype(), [&]<class T>(T) {
    if constexpr (kIsInteger<T>)
      integer(as<T>(at.got));
    else
      real(as<T>(at.got));
  });
}

void merge(Comparison& into, const ScalarTotals& segment) {
  into.compared += segment.compared;
  into.failed += segment.failed;
  into.nonfinite_failed += segment.nonfinite_failed;
  into.worst_fraction = std::max(into.worst_fraction, segment.worst_fraction);
  into.max_abs_diff = std::max(into.max_abs_diff, segment.max_abs_diff);
  into.max_abs_truth = std::max(into.max_abs_truth, segment.max_abs_truth);
  into.sum_sq_diff += segment.sum_sq_diff;
  into.sum_sq_truth += segment.sum_sq_truth;
  into.sum_got += segment.sum_got;
  into.sum_want += segment.sum_want;
}

}  // namespace kw::device
