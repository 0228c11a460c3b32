// The ways in which a kernel is slightly wrong, each of which every task must see at the sizes it
// times. A mutant knows nothing of the task: it is a change of one input or of the outputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/task.h"

namespace kw::referee {

/// What is wrong with the answer.
enum class MutantKind {
  Unwritten,  ///< A part of the outputs is as it was before the call.
  Zeroed,     ///< A part of the outputs is zero.
  Exclusive,  ///< Elements of the outputs hold what belongs to the one before, the first zero.
  Inclusive,  ///< Elements of the outputs hold what belongs to the one behind.
  Dropped,    ///< A part of an input counts as zero.
  Thinned,    ///< One element of an input in 2^bits counts as zero; bits 0: a single one.
  Rounded,    ///< An input has `bits` significant bits.
};

/// Where bounds are wrong: the last of something.
enum class Part { Element, Row, Column, Tile, Batch };

/// Which elements of each row a shift concerns.
enum class Extent { All, SecondHalf, Last };

struct Mutant {
  std::string name;  ///< Equal at all workloads of one shape: "last row of x dropped".
  MutantKind kind = MutantKind::Unwritten;
  std::size_t tensor = 0;  ///< The input; nothing where the outputs are changed.
  Part part = Part::Element;
  Extent extent = Extent::All;
  int bits = 0;

  bool is_of_outputs() const { return kind < MutantKind::Dropped; }
};

/// Every mutant that the shapes of this workload allow.
std::vector<Mutant> mutants_of(const Workload& workload);

/// The part of this box that a mutant leaves out, `length` of its elements, rows, columns or
/// batches; of a tile columns, in the last kTileSide rows. Nothing where the box has no such part:
/// where that is the whole box, or what a smaller kind of part is already.
std::optional<Region> last_part(Part part, const Region& box, std::int64_t length);
/// The least `length`: 1, of a tile kTileSide or what there is.
std::int64_t least_length(Part part, const Region& box);
/// The largest `length`: half of what there is, for whoever leaves out more ignores the input.
std::int64_t most_length(Part part, const Region& box);

/// The elements of this box that a shift fills from their neighbours: without the first of each
/// row, which has none before it, or without the last, which has none behind.
Region shifted_part(Extent extent, const Region& box, bool is_exclusive);

/// Significant bits of the next type that is less precise: f32, f16 (and tf32), bf16, e4m3.
int bits_down(Dtype dtype);

}  // namespace kw::referee
