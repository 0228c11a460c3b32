// Cards of techniques: what each does, which resource it relieves, and for which kind of work.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/target.h"

namespace kw::search {

/// Kinds of work that a workload-aware method tells apart (the four of CuTeGen, arXiv 2604.01489).
enum class WorkClass { Matmul, Elementwise, Convolution, Other };

struct TechniqueCard {
  std::string name;  ///< The name in `// kw: technique` lines.
  std::string what;  ///< How the technique is applied, in one sentence for the writer.
  /// The resource that the technique relieves: "memory", "compute" or "latency".
  std::string resource;
};

/// A technique as the tables of techniques list it.
struct TechniqueRow {
  unsigned classes;  ///< Bit 1 << WorkClass for each kind of work that it is for.
  std::string_view name;
  std::string_view resource;
  std::string_view what;
};
ByTarget<std::span<const TechniqueRow>>& technique_rows();

/// The kind of work of a task's family; matmul and attention are matmul-like.
WorkClass class_of(std::string_view family);

/// Techniques in the order in which they are usually worth trying.
std::vector<TechniqueCard> technique_cards(Target target, WorkClass work);

}  // namespace kw::search

template <>
struct kw::EnumNames<kw::search::WorkClass> {
  static constexpr std::array<std::string_view, 4> names{"matmul-like", "elementwise",
                                                         "convolution", "other"};
};
