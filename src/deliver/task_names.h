// Writes the C++ variables of a launch plan for what its task gives: dims, lets, scalars, tensors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "deliver/delivery.h"
#include "deliver/plan_names.h"
#include "deliver/statement_text.h"

namespace kw::deliver {

/// Derives the names of a task from the arguments of its function. All references are borrowed.
class TaskNamesWriter {
 public:
  TaskNamesWriter(const Delivery& delivery, PlanNames& names, StatementText& out)
      : d_(delivery), names_(names), out_(out) {}

  /// Writes the variables and brings their names into scope; errors name a line of the kernel's
  /// source.
  Result<> write();

 private:
  Result<> write_dims();
  Result<> write_ready_lets();
  void write_scalars();
  Result<> write_tensors();
  bool is_argument(std::string_view name) const;
  bool is_integer_argument(std::string_view name) const;
  /// Names a variable in scope, from which further dims can be derived.
  void have(const std::string& name);

  const Delivery& d_;
  PlanNames& names_;
  StatementText& out_;
  std::vector<std::string> have_;  ///< The dims and lets that have a variable.
};

}  // namespace kw::deliver
