// Walks once over a launch plan and writes C++ statements for each directive.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "deliver/delivery.h"
#include "deliver/plan_names.h"
#include "deliver/statement_text.h"
#include "task/plan_ast.h"

namespace kw::deliver {

/// Writes a launch plan as C++ statements, which use a `Call k` of texts/call.in and the arguments
/// of the task's function.
class PlanWriter {
 public:
  /// `delivery` must outlive the writer.
  explicit PlanWriter(const Delivery& delivery);

  /// The body of `void plan(Call& k, arguments)`. Errors name a line of the kernel's source.
  Result<std::string> run();

  /// The kernels' names as in the launch plan; the generated launches refer to a kernel by its
  /// index here.
  const std::vector<std::string>& kernels() const { return kernels_; }

 private:
  Result<> write_block(const task::PlanBlock& block);
  Result<> write_scope(const task::PlanBlock& block);
  Result<> visit(const task::LetNode& node);
  Result<> visit(const task::RequireNode& node);
  Result<> visit(const task::WorkspaceNode& node);
  Result<> visit(const task::TableNode& node);
  Result<> visit(const task::MapNode& node);
  Result<> visit(const task::LaunchNode& node);
  Result<> visit(const task::FillNode& node);
  Result<> visit(const task::CopyNode& node);
  Result<> visit(const task::ForNode& node);
  Result<> visit(const task::WhenNode& node);
  Result<> visit(const task::ForkNode& node);
  Result<> visit(const task::JoinNode& node);

  Result<std::string> kernel_number(const task::KernelName& kernel);

  const Delivery& d_;
  PlanNames names_;
  std::vector<std::string> kernels_;
  StatementText out_;
  int loops_ = 0;
};

}  // namespace kw::deliver
