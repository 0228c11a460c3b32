// The ways in which a kernel is slightly wrong. The gates of every task must refuse each of them at
// the timed sizes. A mutant knows nothing of the task: it changes one input or the outputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "record/task.h"

namespace kw::referee {

/// What is wrong with a mutant's answer.
enum class MutantKind {
  Unwritten,  ///< A part of the outputs is as it was before the call.
  Zeroed,     ///< A part of the outputs is zero.
  Exclusive,  ///< Elements of the outputs hold their predecessor's value; the first is zero.
  Inclusive,  ///< Elements of the outputs hold their successor's value.
  Narrowed,   ///< Integers of the outputs keep the lower half of their bits.
  Dropped,    ///< A part of an input counts as zero.
  Thinned,    ///< One element of an input in 2^bits counts as zero; bits = 0: a single element.
  Rounded,    ///< An input has `bits` significant bits.
  Repeated,   ///< All parts of an input equal its first `count` parts, in turn.
  Halved,     ///< The second half of an input comes from another draw.
  Parity,     ///< An input of integers is taken modulo 2, from its least possible value on.
  Wrapped,    ///< An input of integers keeps the lower half of its bits.
  Swapped,    ///< Two scalars have each other's value.
  Cut,        ///< A loop of the reference lacks passes or runs backwards (loop_cuts.h).
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
  int count = 0;  ///< Repeated: number of parts. Cut: what is cut.
  std::pair<std::size_t, std::size_t> scalars = {};  ///< Indices of the swapped scalars.

  bool is_of_outputs() const { return kind < MutantKind::Dropped; }
  /// Whether a workload at which this mutant's answer is always right is a hole: it cannot tell a
  /// kernel that reads one part of an input from one that reads all.
  bool must_show() const {
    return kind == MutantKind::Repeated || kind == MutantKind::Halved || kind == MutantKind::Parity;
  }
};

/// Every mutant that the shapes of this workload allow.
std::vector<Mutant> mutants_of(const Workload& workload);

/// Pairs of scalars that a kernel may take for each other, as indices of the workload's scalars:
/// those of one type that are no dims. Where that would be more than some fifteen pairs, only
/// neighbours.
std::vector<std::pair<std::size_t, std::size_t>> exchangeable(const Workload& workload);
/// Name of the mutant that swaps two scalars.
std::string name_of_swap(const std::string& one, const std::string& other);

/// Number of elements in one part of a tensor whose elements are row-major: 1 element, a row, or a
/// plane (Part::Batch).
std::int64_t part_size(Part part, const Tensor& tensor);

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
