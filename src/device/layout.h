// A tensor's memory as rows: what all operations on plain memory iterate over.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "record/task.h"

namespace kw::device {

/// Rows of equal length, `pitch` elements apart.
struct Rows {
  std::int64_t count = 0;
  std::int64_t length = 0;
  std::int64_t pitch = 0;
};

/// The whole tensor; a tensor without padding is one long row.
inline Rows rows_of(const Tensor& t) {
  if (t.sizes.empty()) return {1, 1, 1};
  if (t.extent() == 0) return {};
  if (t.pitch == t.sizes.back() || t.rows() == 1) return {1, t.extent(), t.extent()};
  return {t.rows(), t.sizes.back(), t.pitch};
}

/// A contiguous stretch of elements.
struct Stretch {
  std::int64_t begin = 0;  ///< In elements from the tensor's first.
  std::int64_t length = 0;
};

/// Elements that one piece of a parallel loop works on: long enough to hide the hand-out, short
/// enough that a few cores share 1 MiB evenly.
inline constexpr std::int64_t kPiece = 1 << 16;

/// Cuts rows into pieces of about kPiece elements: piece p is `at(p)`, a list of stretches.
class Pieces {
 public:
  explicit Pieces(Rows rows);
  std::int64_t count() const { return count_; }
  /// Calls `visit(row, begin column, length)` for each stretch of a piece, in memory order.
  template <class Visit>
  void for_each_stretch(std::int64_t piece, Visit&& visit) const {
    if (per_row_ > 1) {
      const std::int64_t row = piece / per_row_;
      const std::int64_t column = piece % per_row_ * kPiece;
      const std::int64_t left = rows_.length - column;
      visit(row, column, left < kPiece ? left : kPiece);
      return;
    }
    const std::int64_t first = piece * rows_per_piece_;
    for (std::int64_t row = first; row < rows_.count && row < first + rows_per_piece_; ++row)
      visit(row, std::int64_t{0}, rows_.length);
  }

 private:
  Rows rows_;
  std::int64_t per_row_ = 1;
  std::int64_t rows_per_piece_ = 1;
  std::int64_t count_ = 0;
};

inline Pieces::Pieces(Rows rows) : rows_(rows) {
  if (rows.count <= 0 || rows.length <= 0) return;
  per_row_ = (rows.length + kPiece - 1) / kPiece;
  rows_per_piece_ = per_row_ > 1 ? 1 : kPiece / rows.length;
  count_ =
      per_row_ > 1 ? rows.count * per_row_ : (rows.count + rows_per_piece_ - 1) / rows_per_piece_;
}

}  // namespace kw::device
