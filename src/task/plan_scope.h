// The names that are defined while a launch plan is resolved: numbers, and memory of known shape.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "record/plan.h"
#include "task/header.h"
#include "task/plan_ast.h"
#include "task/plan_trouble.h"

namespace kw::task {

/// A tensor, workspace or table, or, if `map` is at least 0, a tensor map.
struct PlanSpace {
  std::string name;
  PlanMemory memory = PlanMemory::Tensor;
  int index = 0;
  int map = -1;
  std::string type;  ///< The type of an element: f32, u16, …
  int element_bytes = 4;
  std::vector<std::int64_t> sizes;
  std::int64_t pitch = 0;  ///< Elements from one row to the next.
  std::int64_t bytes = 0;
  std::int64_t alignment = 256;
  bool is_writable = false;

  bool is_map() const { return map >= 0; }
  /// The distance, in elements, between neighbours along a dimension.
  std::int64_t stride(std::size_t dimension) const;
  /// The number of elements that a slice spans, from its first to its last, if the first
  /// `dimensions` indices are fixed.
  std::int64_t extent(std::size_t dimensions) const;
};

/// A range of bytes in a tensor, workspace or table.
struct PlanSpan {
  const PlanSpace* space = nullptr;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;

  PlanPlace place() const { return {space->memory, space->index, offset}; }
};

class PlanScope {
 public:
  /// `is_hidden`: messages must not contain numbers that depend on the workload.
  explicit PlanScope(bool is_hidden) : is_hidden_(is_hidden) {}

  /// Defines a name; an error if the name is defined already by anything but imply().
  Planned<> define(std::size_t at, const std::string& name, std::int64_t value);
  Planned<> define(std::size_t at, PlanSpace space);
  /// Defines a number that a later define() of the same name may replace.
  void imply(const std::string& name, std::int64_t value);
  void define_real(const std::string& name, double value) { reals_[name] = value; }

  Planned<std::int64_t> value(const PlanExpr& expr) const;
  Planned<std::vector<std::int64_t>> values(const std::vector<PlanExpr>& exprs) const;
  Planned<double> real(const PlanRealExpr& expr) const;
  /// The tensor, workspace, table or map with this name; null if there is none.
  const PlanSpace* space(std::string_view name) const;
  Planned<const PlanSpace*> require_space(const PlanName& name) const;
  Planned<PlanSpan> span(const PlanName& name) const;

  /// A mark for reset(), which removes all names that were defined after the call of mark().
  std::size_t mark() const { return undo_.size(); }
  void reset(std::size_t mark);

  /// The value as part of a message; a placeholder without a number if the workload is hidden.
  Wording figure(std::int64_t value) const;

 private:
  Planned<> check_free(std::size_t at, const std::string& name) const;
  void set(const std::string& name, std::optional<std::int64_t> value);
  /// The trouble with an unknown name: "unknown name 'x' (did you mean 'y'?)"
  std::unexpected<PlanTrouble> unknown(std::size_t at, const std::string& name) const;

  struct Undo {
    std::string name;
    bool is_space = false;
    bool was_implied = false;
    std::optional<std::int64_t> old;
  };

  bool is_hidden_;
  Names numbers_;
  std::set<std::string, std::less<>> implied_;
  std::map<std::string, double, std::less<>> reals_;
  std::map<std::string, PlanSpace, std::less<>> spaces_;
  std::vector<Undo> undo_;
};

}  // namespace kw::task
