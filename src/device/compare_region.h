// A region of a tensor, cut into the pieces that comparisons work on; shared by host and GPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "device/cuda/compare.cuh"
#include "device/device.h"
#include "device/layout.h"

namespace kw::device {

inline constexpr std::size_t kMostMismatches = 64;

/// A region as rows along its last dimension, with the place of each row in memory.
class RegionRows {
 public:
  RegionRows(const Tensor& tensor, const Region& region) : region_(region) {
    strides_.assign(tensor.sizes.size(), 1);
    for (std::size_t d = tensor.sizes.size(); d-- > 0;) {
      if (d + 2 == tensor.sizes.size()) strides_[d] = tensor.pitch;
      if (d + 2 < tensor.sizes.size()) strides_[d] = strides_[d + 1] * tensor.sizes[d + 1];
    }
    rows_.count = 1;
    rows_.length = 1;
    for (std::size_t d = 0; d < region.ranges.size(); ++d) {
      const std::int64_t n = std::max<std::int64_t>(0, region.ranges[d].hi - region.ranges[d].lo);
      (d + 1 == region.ranges.size() ? rows_.length : rows_.count) *= n;
    }
  }

  Rows rows() const { return rows_; }
  /// Number of elements from one index of a dimension to the next.
  std::int64_t stride(std::size_t dimension) const { return strides_[dimension]; }

  /// Coordinates in the tensor of a column in a row of the region.
  std::vector<std::int64_t> coordinates(std::int64_t row, std::int64_t column) const {
    std::vector<std::int64_t> at(region_.ranges.size());
    if (at.empty()) return at;
    at.back() = region_.ranges.back().lo + column;
    for (std::size_t d = at.size() - 1; d-- > 0;) {
      const std::int64_t n = region_.ranges[d].hi - region_.ranges[d].lo;
      at[d] = region_.ranges[d].lo + row % n;
      row /= n;
    }
    return at;
  }

  /// Element offset of a row's first compared column.
  std::int64_t offset(std::int64_t row) const {
    std::int64_t at = region_.ranges.empty() ? 0 : region_.ranges.back().lo;
    for (std::size_t d = region_.ranges.size(); d-- > 1;) {
      const Range& range = region_.ranges[d - 1];
      const std::int64_t n = range.hi - range.lo;
      at += (range.lo + row % n) * strides_[d - 1];
      row /= n;
    }
    return at;
  }

 private:
  const Region& region_;
  std::vector<std::int64_t> strides_;
  Rows rows_;
};

/// Numbers of the pieces from `first` up to but excluding `end` that a selection looks at.
std::vector<std::int64_t> chosen_pieces(const Pieces& pieces, const Selection& selection,
                                        std::int64_t first, std::int64_t end);

/// Nothing if `fits`, else the error "a buffer is too small to `what`".
Result<> require_room(bool fits, const char* what, const Tensor& tensor);

/// Checks that buffers of these sizes can be compared; `magnitude_bytes` is negative if there is
/// none.
Result<> check_comparison(std::int64_t got_bytes, std::int64_t truth_bytes,
                          std::int64_t magnitude_bytes, const Tensor& tensor, const Region& region);

/// Elements of the tensor from `begin` on, in host memory.
struct HostPiece {
  std::span<const std::byte> got;
  std::span<const std::byte> truth;
  std::span<const std::byte> magnitude;  ///< May be empty.
  std::int64_t begin = 0;
};

/// A region that is compared on a GPU. All arguments are borrowed.
class ComparedRegion {
 public:
  ComparedRegion(const Tensor& tensor, const Region& region, const Allowance& allowance)
      : tensor_(tensor),
        region_(region),
        allowance_(allowance),
        rows_(tensor, region),
        pieces_(rows_.rows()) {}

  /// The chosen pieces of a segment, which consists of KW_SEGMENT consecutive pieces.
  std::vector<std::int64_t> choose(const Selection& selection, std::int64_t segment) const {
    return chosen_pieces(pieces_, selection, segment * KW_SEGMENT, (segment + 1) * KW_SEGMENT);
  }
  std::int64_t segments() const { return (pieces_.count() + KW_SEGMENT - 1) / KW_SEGMENT; }
  Dtype dtype() const { return tensor_.dtype; }
  /// The kernel's arguments except the addresses. Supports at most KW_MOST_DIMS dimensions.
  CompareJob job(const Selection& selection) const;
  /// The elements of the tensor from the first of a piece to its last.
  Stretch span_of(std::int64_t piece) const;
  /// Adds the failing elements of a piece to `into.first`, as long as there is room.
  void note_mismatches(std::int64_t piece, const HostPiece& at, Comparison& into) const;

 private:
  /// Calls `look(row, column, index)` for every element of a piece; the index counts from `begin`.
  template <class Look>
  void visit(std::int64_t piece, std::int64_t begin, Look&& look) const {
    pieces_.for_each_stretch(piece, [&](std::int64_t row, std::int64_t column, std::int64_t n) {
      const std::int64_t at = rows_.offset(row) + column - begin;
      for (std::int64_t i = 0; i < n; ++i) look(row, column + i, at + i);
    });
  }

  const Tensor& tensor_;
  const Region& region_;
  const Allowance& allowance_;
  RegionRows rows_;
  Pieces pieces_;
};

/// Adds the sums of a segment to the result, without its mismatches. Call in the order of the
/// segments.
void merge(Comparison& into, const ScalarTotals& segment);

}  // namespace kw::device
