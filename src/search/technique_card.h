// Cards of techniques: what each does, which resource it is for, and for which kind of work.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/enums.h"

namespace kw::search {

/// Kinds of work that a workload-aware method tells apart (CuTeGen's four).
enum class WorkClass { Matmul, Elementwise, Convolution, Other };

struct TechniqueCard {
  std::string name;      ///< As in `// kw: technique`.
  std::string what;      ///< How it is applied, one sentence for whoever writes.
  std::string resource;  ///< That it relieves: "memory", "compute" or "latency".
};

/// By the task's family; matmul-like are matmul and attention.
WorkClass class_of(std::string_view family);

/// In the order in which they are usually worth trying.
std::vector<TechniqueCard> technique_cards(Target target, WorkClass work);

}  // namespace kw::search

template <>
struct kw::EnumNames<kw::search::WorkClass> {
  static constexpr std::array<std::string_view, 4> names{"matmul-like", "elementwise",
                                                         "convolution", "other"};
};
