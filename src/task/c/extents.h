// The sizes of an array, from the index expressions by which a function body reaches its elements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "task/c/bounds.h"
#include "task/c/function.h"
#include "task/c/index.h"
#include "task/c/loops.h"

namespace kw::task {

/// One use of an array: the tokens of each of its indices; none for `*x`.
struct IndexedUse {
  std::size_t token = 0;
  std::vector<std::pair<std::size_t, std::size_t>> indices;
  bool is_set = false;   ///< An element is assigned, and not read.
  bool is_sure = false;  ///< The use is executed on every path.
};

/// Collects the uses of one array. A size is never smaller than what the uses reach, as far as the
/// loops around them say. Borrows all arguments.
class Extents {
 public:
  Extents(const CParameter& parameter, const std::vector<lex::Token>& tokens,
          const IndexReader& reader, const Loops& loops, const Bounds& bounds)
      : parameter_(parameter), tokens_(tokens), reader_(reader), loops_(loops), bounds_(bounds) {}

  void add_use(const IndexedUse& use);
  /// Sets sizes, row, offsets, partial writes, what is doubtful and what is wrong.
  void finish(Access& access);

 private:
  /// The part of a flat index that moves along one dimension.
  struct Axis {
    std::vector<std::string> stride;  ///< Factors of the distance between two of its values.
    Polynomial index;
  };
  /// Sizes of which the largest counts.
  using Size = std::vector<Polynomial>;

  std::vector<Axis> axes_of(const Polynomial& index, std::size_t token) const;
  void keep_in_rows(std::vector<Axis>& axes, std::size_t token) const;
  void add_flat(const Polynomial& index, const IndexedUse& use);
  void add_dimensions(const IndexedUse& use);
  bool add_shape(const std::vector<Axis>& axes, const IndexedUse& use);
  void note_written(const std::vector<Axis>& axes, const std::vector<Polynomial>& inner,
                    const IndexedUse& use);
  void note_below(const Polynomial& index, const IndexedUse& use, const std::string& words);
  void note_neighbours(const Polynomial& index, std::size_t token);
  std::string code(const IndexedUse& use) const;
  void merge(std::vector<Size> shape);
  void cover_rest();
  bool is_all(const std::vector<Polynomial>& row, const std::vector<Polynomial>& whole) const;
  static void add_border(Size& size);
  void check_declared(const IndexedUse& use, std::size_t dimension, const Limit& last);

  const CParameter& parameter_;
  const std::vector<lex::Token>& tokens_;
  const IndexReader& reader_;
  const Loops& loops_;
  const Bounds& bounds_;
  std::vector<Size> shape_;
  Size row_;              ///< What is reached in a row.
  bool has_row_ = false;  ///< Rows are shorter than the distance between them.
  std::vector<std::vector<Polynomial>> written_;
  std::vector<Polynomial> ends_;  ///< First elements that uses of another form do not reach.
  bool has_offsets_ = false;
  bool is_partial_ = false;
  bool is_unknown_ = false;  ///< Some use could not be read.
  std::string doubt_;
  std::vector<CodeProblem> problems_;
};

}  // namespace kw::task
