// Maps types of C to types of the plan language.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kw::import {

/// A type of the plan language, and the number of its values that make one element of a C type (4
/// for float4).
struct Element {
  std::string type;
  int count = 1;
};

/// The plan's type for a type that device_type() returned; its name is empty if there is none.
Element element_of(std::string_view type);

/// The size in bytes of a type of the plan language; 1 for an unknown type.
int bytes_of_plan(std::string_view type);

}  // namespace kw::import
