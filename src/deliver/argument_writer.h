// Writes the arguments of a plan's launches as C++.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "deliver/delivery.h"
#include "deliver/plan_names.h"
#include "deliver/statement_text.h"
#include "task/plan_ast.h"

namespace kw::deliver {

/// Writes statements that put the arguments of a launch into an `Arguments a` of texts/call.in. All
/// references are borrowed.
class ArgumentWriter {
 public:
  ArgumentWriter(const Delivery& delivery, const PlanNames& names, StatementText& out)
      : d_(delivery), names_(names), out_(out) {}

  /// Errors name a line of the kernel's source.
  Result<> write(const std::vector<task::PlanItem>& arguments);

 private:
  /// The size and alignment of an item among the kernel's arguments, in bytes.
  struct Layout {
    std::int64_t bytes = 0;
    std::int64_t alignment = 1;
  };

  Result<Layout> layout(const task::PlanItem& item) const;
  Result<Layout> place_items(const task::PlanItem& item, std::vector<std::int64_t>* offsets) const;
  Result<> put(const task::PlanItem& item, std::int64_t at);

  const Delivery& d_;
  const PlanNames& names_;
  StatementText& out_;
};

}  // namespace kw::deliver
