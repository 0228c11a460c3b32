// The variables of a host function, scope by scope.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/host_program.h"

namespace kw::import {

struct Variable {
  Value value;
  std::string type;
  int stars = 0;
  bool is_const = false;
  /// Whether a pointer or reference to the variable is kept somewhere, through which the variable
  /// may change.
  bool is_exposed = false;
  Value extent;  ///< Arrays: the number of elements.
  /// References: the scope and the name of the variable to which the reference is bound.
  std::optional<std::pair<std::size_t, std::string>> alias;

  Variable() = default;
  Variable(Value value_, std::string type_, int stars_)
      : value(std::move(value_)), type(std::move(type_)), stars(stars_) {}
};

/// Innermost scope last. The first scope holds the file's global variables that may change.
using Scopes = std::vector<std::map<std::string, Variable>>;

/// The variables in scope where the interpretation stands. It knows no text.
class HostVariables {
 public:
  Scopes& scopes() { return scopes_; }
  const Scopes& scopes() const { return scopes_; }
  void open() { scopes_.emplace_back(); }
  void close() { scopes_.pop_back(); }
  std::map<std::string, Variable>& innermost() { return scopes_.back(); }

  /// The scope and name of the variable that the name means; null or nothing if it means none.
  std::optional<std::pair<std::size_t, std::string>> locate(const std::string& name) const;
  Variable* find(const std::string& name);
  /// The variable, or the value in it, whose address the reference is; null if it is not known.
  Variable* variable_of(const Value& reference);
  Value* referred(const Value& reference);

  /// Makes the variable's value unknown, if a write may change it.
  void forget(const std::string& name, std::size_t offset, std::string_view why);
  /// Makes unknown what may change through addresses.
  void forget_exposed(std::size_t offset);
  /// Marks the variables whose addresses the value holds as exposed, since they may change through
  /// a pointer.
  void expose(const Value& value);
  /// Makes `no` the current state, with each variable's value in `yes` where the condition holds.
  void merge(const Value& condition, const Scopes& yes, const Scopes& no);
  /// Makes `scopes` the current state, with every variable unknown that has another value in
  /// `other`.
  void forget_changes(const Scopes& scopes, const Scopes& other, std::size_t offset,
                      std::string_view why);

 private:
  Scopes scopes_;
};

}  // namespace kw::import
