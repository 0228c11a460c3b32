// Compares one piece of a region with its truth, the reference values, with sums in the same order
// as in the host's vector code: eight lanes, which are eight threads on a GPU and one loop on a
// host.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef __CUDACC__
#include "half.cuh"
#else
#include "device/cuda/half.cuh"
#endif

namespace kw::device {

#define KW_LANES 8
#define KW_MOST_DIMS 8
/// Number of consecutive pieces whose chosen ones are added up first, as a segment; the sums of
/// segments are added up afterwards.
#define KW_SEGMENT 32
/// Most segments of one block of threads on a GPU.
#define KW_BLOCK_SEGMENTS 16

/// Arguments of the kernel; addresses are on the device.
struct CompareJob {
  const void* got;
  const void* truth;
  const double* magnitude;  ///< May be null.
  double absolute;
  double relative;
  double magnitude_factor;
  double exact_below;
  double exact_within;
  int exact;
  ElementType type;
  int dims;
  long long lo[KW_MOST_DIMS];      ///< Lower bounds of the region.
  long long count[KW_MOST_DIMS];   ///< Sizes of the region.
  long long stride[KW_MOST_DIMS];  ///< Strides in elements of the tensor.
  long long rows;
  long long length;
  long long piece_length;    ///< Elements of a piece where a row has several pieces.
  long long per_row;         ///< Pieces of one row, or 1.
  long long rows_per_piece;  ///< Rows of a piece, where per_row is 1.
  long long pieces;          ///< Number of pieces of the region.
  /// Seed for is_chosen(), which decides with `share` which pieces are looked at.
  Word choice_seed;
  double share;
};

/// Whether a selection looks at a piece: always at the first and the last, at others at random.
KW_FN bool is_chosen(Word seed, double share, long long piece, long long pieces) {
  return piece == 0 || piece + 1 == pieces || unit_from(bits_at(seed, (Word)piece)) < share;
}
KW_FN bool is_chosen(const CompareJob& job, long long piece) {
  return is_chosen(job.choice_seed, job.share, piece, job.pieces);
}

/// Sums over elements that were looked at one by one, or over a whole piece or segment.
struct ScalarTotals {
  long long compared;
  long long failed;
  long long nonfinite_failed;
  double worst_fraction;
  double max_abs_diff;
  double max_abs_truth;
  double sum_sq_diff;
  double sum_sq_truth;
  double sum_got;
  double sum_want;
};

/// Totals of one lane of the vector code.
struct LaneTotals {
  double max_abs_diff;
  double max_abs_truth;
  double sum_sq_diff;
  double sum_sq_truth;
  double sum_got;
  double sum_want;
  double worst_diff;
  double worst_allowed;
  long long failed;
};

KW_FN LaneTotals no_lane() { return {0, 0, 0, 0, 0, 0, 0, 1, 0}; }
KW_FN ScalarTotals no_scalar() { return {0, 0, 0, 0, 0, 0, 0, 0, 0, 0}; }

KW_FN double larger(double a, double b) { return a < b ? b : a; }
KW_FN double infinity() { return exact::from_bits(0x7ff0'0000'0000'0000ull); }
KW_FN bool is_nan(double v) { return v != v; }

/// A reference value (truth) rounded to the output's type, as a double.
KW_FN double as_type(double v, const float*) { return (double)(float)v; }
KW_FN double as_type(double v, const double*) { return v; }
template <int kExponent, int kFraction>
KW_FN double as_type(double v, const TwoBytes<kExponent, kFraction>*) {
  return (double)TwoBytes<kExponent, kFraction>::nearest(v);
}

template <class T>
KW_FN double allowed_for(const CompareJob& job, double abs_want, double scale) {
  double base = exact::add_mul(job.absolute, job.relative, abs_want);
  if (job.magnitude != nullptr) base = exact::add_mul(base, job.magnitude_factor, scale);
  return scale <= job.exact_below && job.exact_within < base ? job.exact_within : base;
}

/// Adds one finite element to a lane.
template <class T>
KW_FN void add_to_lane(const CompareJob& job, LaneTotals& t, double g, double w, double scale) {
  const double diff = exact::abs_of(exact::sub(g, w));
  const double abs_want = exact::abs_of(w);
  if (job.exact) {
    t.failed += exact::to_bits(g) != exact::to_bits(as_type(w, (const T*)nullptr));
  } else {
    const double allowed = allowed_for<T>(job, abs_want, scale);
    t.failed += diff > allowed;
    if (exact::mul(diff, t.worst_allowed) > exact::mul(t.worst_diff, allowed)) {
      t.worst_diff = diff;
      t.worst_allowed = allowed;
    }
  }
  t.max_abs_diff = diff > t.max_abs_diff ? diff : t.max_abs_diff;
  t.max_abs_truth = abs_want > t.max_abs_truth ? abs_want : t.max_abs_truth;
  t.sum_sq_diff = exact::add_mul(t.sum_sq_diff, diff, diff);
  t.sum_sq_truth = exact::add_mul(t.sum_sq_truth, w, w);
  t.sum_got = exact::add(t.sum_got, g);
  t.sum_want = exact::add(t.sum_want, w);
}

/// Adds `kCount` elements, KW_LANES apart, to a lane; returns whether all are finite. All elements
/// are loaded before the first is used: there are few threads, so each must have many loads in
/// flight.
template <int kCount, class T>
KW_FN bool add_batch(const CompareJob& job, LaneTotals& t, long long at) {
  T got[kCount];
  double truth[kCount];
  double scale[kCount] = {};
  for (int i = 0; i < kCount; ++i) got[i] = ((const T*)job.got)[at + i * KW_LANES];
  for (int i = 0; i < kCount; ++i) truth[i] = ((const double*)job.truth)[at + i * KW_LANES];
  if (job.magnitude != nullptr)
    for (int i = 0; i < kCount; ++i) scale[i] = job.magnitude[at + i * KW_LANES];
  bool is_finite = true;
  for (int i = 0; i < kCount; ++i) {
    const double g = (double)got[i];
    is_finite &= exact::is_finite(g);
    is_finite &= exact::is_finite(truth[i]);
    add_to_lane<T>(job, t, g, truth[i], scale[i]);
  }
  return is_finite;
}

KW_FN void add_to_scalar(ScalarTotals& s, double g, double w, double diff, double fraction) {
  s.worst_fraction = larger(s.worst_fraction, fraction);
  s.max_abs_diff = larger(s.max_abs_diff, diff);
  s.max_abs_truth = larger(s.max_abs_truth, exact::abs_of(w));
  s.sum_sq_diff = exact::add_mul(s.sum_sq_diff, diff, diff);
  s.sum_sq_truth = exact::add_mul(s.sum_sq_truth, w, w);
  s.sum_got = exact::add(s.sum_got, g);
  s.sum_want = exact::add(s.sum_want, w);
}

KW_FN double fraction_of(double diff, double allowed) {
  return diff == 0 ? 0 : allowed > 0 ? exact::div(diff, allowed) : infinity();
}

/// Compares one real element, finite or not, and adds it to the sums.
template <class T>
KW_FN void visit_real(const CompareJob& job, ScalarTotals& s, double g, double w, double scale) {
  if (!exact::is_finite(g) || !exact::is_finite(w)) {
    const bool matches = is_nan(g) ? is_nan(w) : g == w;
    s.failed += !matches;
    s.nonfinite_failed += !matches;
    return;
  }
  const double diff = exact::abs_of(exact::sub(g, w));
  double fraction = 0;
  if (job.exact) {
    s.failed += exact::to_bits(g) != exact::to_bits(as_type(w, (const T*)nullptr));
  } else {
    const double allowed = allowed_for<T>(job, exact::abs_of(w), scale);
    s.failed += diff > allowed;
    fraction = fraction_of(diff, allowed);
  }
  add_to_scalar(s, g, w, diff, fraction);
}

template <class T>
KW_FN void visit_integer(const CompareJob& job, ScalarTotals& s, T got, T truth) {
  const double g = (double)got;
  const double w = (double)truth;
  const double diff = exact::abs_of(exact::sub(g, w));
  const double allowed = exact::add_mul(job.absolute, job.relative, exact::abs_of(w));
  s.failed += job.exact ? got != truth : diff > allowed;
  add_to_scalar(s, g, w, diff, job.exact ? 0 : fraction_of(diff, allowed));
}

/// Adds one lane of a piece; lanes are added in order, after the single elements.
KW_FN void add_lane(ScalarTotals& sum, const LaneTotals& lane) {
  const double quotient =
      lane.worst_diff == 0 ? 0 : exact::div(lane.worst_diff, lane.worst_allowed);
  sum.failed += lane.failed;
  sum.worst_fraction = larger(sum.worst_fraction, quotient);
  sum.max_abs_diff = larger(sum.max_abs_diff, lane.max_abs_diff);
  sum.max_abs_truth = larger(sum.max_abs_truth, lane.max_abs_truth);
  sum.sum_sq_diff = exact::add(sum.sum_sq_diff, lane.sum_sq_diff);
  sum.sum_sq_truth = exact::add(sum.sum_sq_truth, lane.sum_sq_truth);
  sum.sum_got = exact::add(sum.sum_got, lane.sum_got);
  sum.sum_want = exact::add(sum.sum_want, lane.sum_want);
}

/// Adds a piece to its segment; pieces are added in order.
KW_FN void add_piece(ScalarTotals& sum, const ScalarTotals& piece) {
  sum.compared += piece.compared;
  sum.failed += piece.failed;
  sum.nonfinite_failed += piece.nonfinite_failed;
  sum.worst_fraction = larger(sum.worst_fraction, piece.worst_fraction);
  sum.max_abs_diff = larger(sum.max_abs_diff, piece.max_abs_diff);
  sum.max_abs_truth = larger(sum.max_abs_truth, piece.max_abs_truth);
  sum.sum_sq_diff = exact::add(sum.sum_sq_diff, piece.sum_sq_diff);
  sum.sum_sq_truth = exact::add(sum.sum_sq_truth, piece.sum_sq_truth);
  sum.sum_got = exact::add(sum.sum_got, piece.sum_got);
  sum.sum_want = exact::add(sum.sum_want, piece.sum_want);
}

/// Compares a stretch with the threads that share a piece. `Group` tells which lanes a thread has
/// (from `first` to `first + kOwn`), whether any thread of the piece found something, and what each
/// lane holds.
template <class T, class Group>
KW_FN void compare_real_stretch(const CompareJob& job, const Group& group, long long at,
                                long long length, LaneTotals* lanes, ScalarTotals& scalar) {
  constexpr long long kStretch = 2048;
  constexpr int kBatch = 8;
  const T* got = (const T*)job.got;
  const double* truth = (const double*)job.truth;
  for (long long i = 0; i < length; i += kStretch) {
    const long long n = length - i < kStretch ? length - i : kStretch;
    const long long vectors = n / KW_LANES * KW_LANES;
    const long long start = at + i;
    LaneTotals next[Group::kOwn];
    bool is_finite = true;
    for (int own = 0; own < Group::kOwn; ++own) {
      LaneTotals t = lanes[own];
      long long j = group.first() + own;
      for (; j + (kBatch - 1) * KW_LANES < vectors; j += kBatch * KW_LANES)
        is_finite &= add_batch<kBatch, T>(job, t, start + j);
      for (; j < vectors; j += KW_LANES) is_finite &= add_batch<1, T>(job, t, start + j);
      next[own] = t;
    }
    const bool taken = vectors > 0 && !group.any(!is_finite);
    if (taken)
      for (int own = 0; own < Group::kOwn; ++own) lanes[own] = next[own];
    if (group.first() != 0) continue;
    for (long long j = taken ? vectors : 0; j < n; ++j)
      visit_real<T>(job, scalar, (double)got[start + j], truth[start + j],
                    job.magnitude != nullptr ? job.magnitude[start + j] : 0);
  }
}

template <class T, class Group>
KW_FN void compare_integer_stretch(const CompareJob& job, const Group& group, long long at,
                                   long long length, ScalarTotals& scalar) {
  if (group.first() != 0) return;
  const T* got = (const T*)job.got;
  const T* truth = (const T*)job.truth;
#ifdef __CUDACC__
#pragma unroll 4
#endif
  for (long long i = 0; i < length; ++i) visit_integer<T>(job, scalar, got[at + i], truth[at + i]);
}

/// Offset in the tensor at which a row of the region begins.
KW_FN long long row_offset(const CompareJob& job, long long row) {
  long long at = job.dims > 0 ? job.lo[job.dims - 1] : 0;
  for (int d = job.dims - 2; d >= 0; --d) {
    at += (job.lo[d] + row % job.count[d]) * job.stride[d];
    row /= job.count[d];
  }
  return at;
}

template <class Group>
KW_FN void compare_stretch(const CompareJob& job, const Group& group, long long at,
                           long long length, LaneTotals* lanes, ScalarTotals& scalar) {
  if (group.first() == 0) scalar.compared += length;
  switch (job.type) {
    case ElementType::F32:
      return compare_real_stretch<float>(job, group, at, length, lanes, scalar);
    case ElementType::F64:
      return compare_real_stretch<double>(job, group, at, length, lanes, scalar);
    case ElementType::I32:
      return compare_integer_stretch<int>(job, group, at, length, scalar);
    case ElementType::I64:
      return compare_integer_stretch<long long>(job, group, at, length, scalar);
    case ElementType::U8:
      return compare_integer_stretch<unsigned char>(job, group, at, length, scalar);
    case ElementType::I8:
      return compare_integer_stretch<signed char>(job, group, at, length, scalar);
    case ElementType::I16:
      return compare_integer_stretch<short>(job, group, at, length, scalar);
    case ElementType::U16:
      return compare_integer_stretch<unsigned short>(job, group, at, length, scalar);
    case ElementType::U32:
      return compare_integer_stretch<unsigned int>(job, group, at, length, scalar);
    case ElementType::U64:
      return compare_integer_stretch<unsigned long long>(job, group, at, length, scalar);
    case ElementType::Bool:
      return compare_integer_stretch<Bool>(job, group, at, length, scalar);
    case ElementType::F16:
      return compare_real_stretch<Half>(job, group, at, length, lanes, scalar);
    case ElementType::BF16:
      return compare_real_stretch<BFloat>(job, group, at, length, lanes, scalar);
  }
}

/// Totals of one piece, valid in its first thread; the stretches are those of device/layout.h.
template <class Group>
KW_FN ScalarTotals compare_piece(const CompareJob& job, const Group& group, long long piece) {
  LaneTotals lanes[Group::kOwn];
  for (int own = 0; own < Group::kOwn; ++own) lanes[own] = no_lane();
  ScalarTotals sum = no_scalar();
  const bool is_part = job.per_row > 1;  // a part of one row; else whole rows
  const long long column = is_part ? piece % job.per_row * job.piece_length : 0;
  const long long left = job.length - column;
  const long long length = is_part && left > job.piece_length ? job.piece_length : left;
  const long long first = is_part ? piece / job.per_row : piece * job.rows_per_piece;
  const long long end = is_part ? first + 1 : first + job.rows_per_piece;
  for (long long row = first; row < end && row < job.rows; ++row)
    compare_stretch(job, group, row_offset(job, row) + column, length, lanes, sum);
  for (int i = 0; i < KW_LANES; ++i) add_lane(sum, group.lane(lanes, i));
  return sum;
}

}  // namespace kw::device
