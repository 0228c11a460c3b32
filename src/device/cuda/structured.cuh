// Draws values with a structure that code relies on: row pointers, permutations, rows with a single
// one, sorted numbers and matrices that can be factorised. Each element is a function of (seed,
// index).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef __CUDACC__
#include "exact.cuh"
#else
#include "device/cuda/exact.cuh"
#endif

namespace kw::device {

/// Row pointers: non-decreasing whole numbers from 0 to `count`, one more than there are rows. Rows
/// come in blocks whose borders lie at random near equal distances; within a block the lengths of
/// rows differ by up to two orders of magnitude, a quarter of the rows is empty, and so is at least
/// one in each block of four rows or more.
struct Offsets {
  static constexpr Word kBlock = 16;  ///< Rows of a block.

  Word seed;
  Word rows;  ///< At least 1.
  double count;

  KW_FN double operator()(Word i) const {
    if (i == 0) return 0;
    if (i >= rows) return count;
    const Word block = i / kBlock;
    const Word first = block * kBlock;
    const Word size = rows - first < kBlock ? rows - first : kBlock;
    Word before = 0, total = 0;
    for (Word row = 0; row < size; ++row) {
      const Word weight = weight_of(block, row, size);
      total += weight;
      if (row < i - first) before += weight;
    }
    const double low = border(block);
    const double share = exact::div((double)before, (double)total);
    return exact::add(low, exact::floor_of(exact::mul(exact::sub(border(block + 1), low), share)));
  }

 private:
  KW_FN double border(Word block) const {
    const Word blocks = (rows + kBlock - 1) / kBlock;
    if (block == 0) return 0;
    if (block >= blocks) return count;
    const double place = exact::add((double)block, unit_from(bits_at(~seed, block)));
    const double at = exact::floor_of(exact::mul(exact::div(count, (double)blocks), place));
    return at < count ? at : count;
  }
  KW_FN Word weight_of(Word block, Word row, Word size) const {
    const Word empty = bits_at(seed ^ 0x5555'5555'5555'5555ull, block) % size;
    // One row is never empty, so that the sum of the weights is not 0.
    if (size >= 4 && row == empty) return 0;
    const Word bits = bits_at(seed, block * kBlock + row);
    const Word step = bits & 15;
    if ((bits >> 4 & 3) == 0 && row != (empty + 1) % size) return 0;
    return 1 + step * step;
  }
};

/// In each stretch of `length` elements the numbers from 0 to below `length`, each once: a network
/// of Feistel over the next power of four, whose results are encrypted again until one lies below
/// `length` (Black and Rogaway, 2002).
struct Permutation {
  static constexpr int kRounds = 6;

  Word seed;
  Word length;
  int bits;  ///< Half the bits of the power of four.

  KW_FN double operator()(Word i) const {
    const Word key = bits_at(seed, i / length);
    Word at = i % length;
    do at = encrypted(key, at);
    while (at >= length);
    return (double)at;
  }

 private:
  KW_FN Word encrypted(Word key, Word at) const {
    const Word mask = ((Word)1 << bits) - 1;
    Word left = at >> bits, right = at & mask;
    for (int round = 0; round < kRounds; ++round) {
      const Word mixed = left ^ (bits_at(key + (Word)round, right) >> 32 & mask);
      left = right;
      right = mixed;
    }
    return left << bits | right;
  }
};

/// In each stretch of `length` elements a single 1 at a random place, and zeros.
struct OneHot {
  Word seed;
  Word length;

  KW_FN double operator()(Word i) const {
    const double place = exact::mul(unit_from(bits_at(seed, i / length)), (double)length);
    return (Word)place == i % length ? 1 : 0;
  }
};

/// In each stretch of `length` elements non-decreasing numbers from `lo` to at most `hi`. One in
/// eight is equal to its neighbour.
struct Sorted {
  Word seed;
  Word length;
  double lo;
  double hi;
  bool is_integer;

  KW_FN double operator()(Word i) const {
    const Word at = i % length;
    const bool is_tie = at > 0 && (bits_at(~seed, i) & 7) == 0;
    const Word from = is_tie ? at - 1 : at;
    const double place = exact::add((double)from, unit_from(bits_at(seed, i - (at - from))));
    const double share = exact::div(place, (double)length);
    const double width = exact::sub(hi, lo);
    if (!is_integer) return exact::add_mul(lo, width, share);
    const double step = exact::floor_of(exact::mul(exact::add(width, 1), share));
    return step < width ? exact::add(lo, step) : hi;
  }
};

/// Square matrices [side, side] of numbers in [-1, 1) beside a diagonal between `side` and 1.5
/// times as much, which is more than the sum over the rest of its row or column.
struct DominantMatrix {
  enum Part { Whole, Lower, Upper };

  Word seed;
  Word side;
  bool is_symmetric;
  Part part;  ///< What lies beyond it is 0.

  KW_FN double operator()(Word i) const {
    const Word row = i / side % side, column = i % side;
    if ((part == Lower && column > row) || (part == Upper && column < row)) return 0;
    const bool is_swapped = is_symmetric && column > row;
    const Word at = is_swapped ? i - row * side - column + column * side + row : i;
    const double unit = unit_from(bits_at(seed, at));
    if (row != column) return exact::sub(exact::mul(2, unit), 1);
    return exact::mul((double)side, exact::add_mul(1, 0.5, unit));
  }
};

}  // namespace kw::device
