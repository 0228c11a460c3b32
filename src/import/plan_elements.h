// The types of the plan language for types of C.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kw::import {

/// A type of the plan language, and how many numbers of that type one C element has.
struct Element {
  std::string type;
  int count = 1;
};

/// The plan's type for a type that device_type() returned; an empty one where there is none.
Element element_of(std::string_view type);

/// The bytes of a type of the plan language; 1 for none.
int bytes_of_plan(std::string_view type);

}  // namespace kw::import
