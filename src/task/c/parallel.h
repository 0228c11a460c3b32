// Which loops of a body may run at once, as kernels of a GPU run them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kw::task {

struct StudiedBody;

/// A loop with bounds as expressions over parameters and variables of loops around it.
struct BoundedLoop {
  std::string variable;
  std::string first;
  std::string bound;
  std::string count;  ///< bound - first.
  std::int64_t step = 1;
  std::size_t begin = 0;        ///< First token.
  bool is_never_empty = false;  ///< There is a turn at all sizes.
};

/// One nest whose outermost loops have independent turns.
struct ParallelPart {
  std::vector<BoundedLoop> around;  ///< Loops that run one turn after the other.
  std::vector<BoundedLoop> loops;   ///< Loops whose turns may run at once, outermost first.
  std::size_t begin = 0;            ///< Tokens of the innermost of these loops' body.
  std::size_t end = 0;
};

/// The nests of the body in order, where each of them has such a loop and nothing else stands
/// beside them but declarations; else none. A turn is independent where all places that it writes
/// and reads of a written array follow the loop's variable one to one.
std::vector<ParallelPart> parallel_parts(const StudiedBody& body);

}  // namespace kw::task
