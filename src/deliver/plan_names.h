// What the names of a launch plan are in the C++ code that is written for it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "deliver/delivery.h"
#include "task/plan_ast.h"

namespace kw::deliver {

/// Knows the names in scope and spells expressions over them. It writes no statements. Errors name
/// the line of the kernel's source that was said last.
class PlanNames {
 public:
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

  /// `delivery` must outlive the names.
  explicit PlanNames(const Delivery& delivery);

  const Names& macros() const { return macros_; }
  Scope& scope() { return scope_; }
  /// Says why a dim has no value.
  void refuse(const std::string& dim, std::string why) { underived_[dim] = std::move(why); }
  /// Says at which byte of the source the directive begins that is being written.
  void go_to(std::size_t at) { at_ = at; }
  std::string at_line() const;

  void declare(const std::string& name, std::string variable, const std::string& type,
               std::size_t rank);
  /// The tensor, workspace or map of that name; null if there is none.
  const Place* place(std::string_view name) const;

  Result<std::string> number(const task::PlanExpr& expr) const;
  Result<std::string> number(const Expr& expr) const;
  Result<std::string> real(const task::PlanRealExpr& expr) const;
  Result<std::string> list(const std::vector<task::PlanExpr>& exprs) const;
  Result<std::string> three(const std::vector<task::PlanExpr>& exprs) const;
  /// The memory that a name with its indices means.
  Result<std::string> span(const task::PlanName& name) const;
  Result<std::string> spelled(std::string_view name) const;

 private:
  const Delivery& d_;
  Names macros_;
  Scope scope_;
  std::size_t at_ = 0;  ///< Byte of the source where the directive that is being written begins.
  /// Dims whose values cannot be derived from the arguments, with the reason for each.
  std::map<std::string, std::string, std::less<>> underived_;
};

}  // namespace kw::deliver
