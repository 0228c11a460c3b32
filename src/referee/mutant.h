// The ways in which a kernel is slightly wrong. The gates of every task must refuse each of them at
// the timed sizes. A mutant knows nothing of the task: it changes one input or the outputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/task.h"

namespace kw::referee {

/// What is wrong with a mutant's answer.
enum class MutantKind {
  Unwritten,  ///< A part of the outputs is as it was before the call.
  Zeroed,     ///< A part of the outputs is zero.
  Exclusive,  ///< Elements of the outputs hold their predecessor's value; the first is zero.
  Inclusive,  ///< Elements of the outputs hold their successor's value.
  Dropped,    ///< A part of an input counts as zero.
  Thinned,    ///< One element of an input in 2^bits counts as zero; bits = 0: a single element.
  Rounded,    ///< An input has `bits` significant bits.
};

/// The kind of part whose last instance a wrong bound leaves out.
enum class Part { Element, Row, Column, Tile, Batch };

/// The elements of each row that a shift moves.
enum class Extent { All, SecondHalf, Last };

struct Mutant {
  std::string name;  ///< Equal for all workloads of one shape: "last row of x dropped".
  MutantKind kind = MutantKind::Unwritten;
  /// Index of the changed input; meaningless where the outputs are changed.
  std::size_t tensor = 0;
  Part part = Part::Element;
  Extent extent = Extent::All;
  int bits = 0;

  bool is_of_outputs() const { return kind < MutantKind::Dropped; }
};

/// Every mutant that the shapes of this workload allow.
std::vector<Mutant> mutants_of(const Workload& workload);

/// The part of this box that a mutant leaves out: the last `length` elements, rows, columns or
/// batches; for a tile, columns within the last kTileSide rows. Nothing where the box has no such
/// part, because the part would be the whole box or equals a smaller kind of part.
std::optional<Region> last_part(Part part, const Region& box, std::int64_t length);
/// Smallest allowed `length` of last_part(): 1; for a tile kTileSide, or the number of columns if
/// that is less.
std::int64_t least_length(Part part, const Region& box);
/// Largest allowed `length` of last_part(): half of what there is, because a kernel that leaves out
/// more ignores the input.
std::int64_t most_length(Part part, const Region& box);

/// The elements of this box that a shift fills from their neighbours: all but the first of each
/// row, which has no predecessor, or all but the last, which has no successor.
Region shifted_part(Extent extent, const Region& box, bool is_exclusive);

/// Significant bits of the next less precise type: f32, f16 (and tf32), bf16, e4m3.
int bits_down(Dtype dtype);

}  // namespace kw::referee
