// Converts values of a host function from one type to another.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "import/host_program.h"
#include "import/host_text.h"

namespace kw::import {

class HostPaths;
class HostRecord;
class HostVariables;

/// Converts values. A conversion may demand a condition of the plan, and makes an array unknown
/// that may change through a pointer from then on.
class TypeCasts {
 public:
  TypeCasts(HostRecord& record, HostPaths& paths, HostVariables& variables)
      : record_(record), paths_(paths), variables_(variables) {}

  /// The value converted to the type.
  Value cast(const TypeAt& type, Value value, std::size_t offset);

 private:
  Value cast_number(const std::string& type, const Value& value, std::size_t offset);

  HostRecord& record_;
  HostPaths& paths_;
  HostVariables& variables_;
};

}  // namespace kw::import
