// Interprets what expressions write and point to: assignments, addresses, and sizes of objects.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "import/host_program.h"

namespace kw::import {

struct HostParts;

/// Reads the places of expressions: variables, their fields and elements. It changes variables.
class PlaceReader {
 public:
  explicit PlaceReader(HostParts& all) : all_(all) {}

  /// Reads an assignment: a name, perhaps with fields and indices, then an operator and a value.
  /// False, with the cursor unmoved, where there is none.
  bool read_assignment(Value& result);
  /// Assigns the value to the variable, field or element that the tokens name. An assignment that
  /// cannot be interpreted is not marked as followed, so evaluate() makes the variable unknown.
  void assign(std::size_t begin, std::size_t end, Value value, std::size_t sign);
  /// The part of a variable's value that fields and indices from token `i` on select; null if it is
  /// not known.
  Value* part_of(Value& object, std::size_t& i, std::size_t end);
  /// The value of the operator & or sizeof at the cursor.
  Value address_of();
  Value size_of();

 private:
  HostParts& all_;
};

}  // namespace kw::import
