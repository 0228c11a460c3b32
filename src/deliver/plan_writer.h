// Walks once over a launch plan and writes C++ statements for each directive.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "deliver/delivery.h"
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
  struct Place {
    std::string variable;
    std::string type;  ///< C++ type of an element; empty: the place is a tensor map.
    int element_bytes = 0;
    std::size_t rank = 0;
    bool is_map() const { return type.empty(); }
  };
  struct Scope {
    std::map<std::string, std::string, std::less<>> numbers;
    std::map<std::string, Place, std::less<>> places;
  };
  struct Layout {
    std::int64_t bytes = 0;
    std::int64_t alignment = 1;
  };

  Result<> write_names();
  Result<> derive_dims();
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

  Result<std::string> number(const task::PlanExpr& expr) const;
  Result<std::string> number(const Expr& expr) const;
  Result<std::string> real(const task::PlanRealExpr& expr) const;
  Result<std::string> list(const std::vector<task::PlanExpr>& exprs) const;
  Result<std::string> three(const std::vector<task::PlanExpr>& exprs) const;
  Result<std::string> span(const task::PlanName& name) const;
  Result<std::string> spelled(std::string_view name) const;
  Result<std::string> kernel_number(const task::KernelName& kernel);

  Result<Layout> layout(const task::PlanItem& item) const;
  Result<Layout> place_items(const task::PlanItem& item, std::vector<std::int64_t>* offsets) const;
  Result<> put(const task::PlanItem& item, std::int64_t at);

  const Place* place(std::string_view name) const;
  void declare(const std::string& name, std::string variable, const std::string& type,
               std::size_t rank);
  void line(const std::string& text);
  /// Writes a statement, and a return from the generated function in case the statement fails.
  void checked(const std::string& text);
  std::string at_line() const;

  const Delivery& d_;
  Names macros_;
  Scope scope_;
  std::vector<std::string> kernels_;
  std::string out_;
  int depth_ = 1;
  int loops_ = 0;
  std::size_t at_ = 0;  ///< Byte of the source where the directive that is being written begins.
  /// Dims whose values cannot be derived from the arguments, with the reason for each.
  std::map<std::string, std::string, std::less<>> underived_;
};

}  // namespace kw::deliver
