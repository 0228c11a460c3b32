// A tensor's memory as rows, over which all operations on memory iterate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "device/cuda/exact.cuh"
#include "record/task.h"

namespace kw::device {

/// The enumerator by which kernels know a dtype.
inline ElementType element_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::F32:
      return ElementType::F32;
    case Dtype::F64:
      return ElementType::F64;
    case Dtype::I32:
      return ElementType::I32;
    case Dtype::I64:
      return ElementType::I64;
    case Dtype::U8:
      return ElementType::U8;
    case Dtype::F16:
      return ElementType::F16;
    case Dtype::BF16:
      return ElementType::BF16;
    case Dtype::I8:
      return ElementType::I8;
    case Dtype::I16:
      return ElementType::I16;
    case Dtype::U16:
      return ElementType::U16;
    case Dtype::U32:
      return ElementType::U32;
    case Dtype::U64:
      return ElementType::U64;
    case Dtype::Bool:
      return ElementType::Bool;
  }
  return ElementType::U8;
}

/// Rows of equal length, `pitch` elements apart.
struct Rows {
  std::int64_t count = 0;
  std::int64_t length = 0;
  std::int64_t pitch = 0;
};

/// Rows of the whole tensor; a tensor without padding is one long row.
inline Rows rows_of(const Tensor& t) {
  if (t.sizes.empty()) return {1, 1, 1};
  if (t.extent() == 0) return {};
  if (t.pitch == t.sizes.back() || t.rows() == 1) return {1, t.extent(), t.extent()};
  return {t.rows(), t.sizes.back(), t.pitch};
}

/// A contiguous stretch of elements.
struct Stretch {
  std::int64_t begin = 0;  ///< Offset in elements from the tensor's first.
  std::int64_t length = 0;
};

/// Elements of one piece of a parallel loop: so many that handing a piece out costs little, and so
/// few that a few cores share 1 MiB evenly, and that a GPU, with eight threads per piece, has many
/// threads.
inline constexpr std::int64_t kPiece = 1 << 13;

/// Cuts rows into pieces of about kPiece elements; a piece is a list of stretches.
class Pieces {
 public:
  explicit Pieces(Rows rows);
  std::int64_t count() const { return count_; }
  /// Pieces of one row; 1 where a piece consists of whole rows.
  std::int64_t per_row() const { return per_row_; }
  std::int64_t rows_per_piece() const { return rows_per_piece_; }
  /// Calls `visit(row, first column, length)` for each stretch of a piece, in memory order.
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

/// Rows of bytes that begin `start` bytes into a buffer.
struct ByteRows {
  Rows rows;
  std::int64_t start = 0;
};

/// Bytes that count_differences looks at: the whole tensor, or the padding behind every row but the
/// last.
inline ByteRows compared_bytes(const Tensor& tensor, bool padding_only) {
  const Rows rows = rows_of(tensor);
  const auto size = static_cast<std::int64_t>(size_of(tensor.dtype));
  if (!padding_only) return {{1, tensor.bytes(), tensor.bytes()}, 0};
  if (rows.count <= 1) return {};
  return {{rows.count - 1, (rows.pitch - rows.length) * size, rows.pitch * size},
          rows.length * size};
}

inline std::uint64_t round_up(std::uint64_t value, std::uint64_t to) {
  return (value + to - 1) / to * to;
}

/// Whether `count` bytes from `offset` on lie inside a payload of `bytes`.
inline bool is_inside(std::int64_t offset, std::uint64_t count, std::uint64_t bytes) {
  return offset >= 0 && static_cast<std::uint64_t>(offset) <= bytes &&
         count <= bytes - static_cast<std::uint64_t>(offset);
}

}  // namespace kw::device
