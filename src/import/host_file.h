// The file whose host code is interpreted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "import/foreign_source.h"
#include "import/items.h"

namespace kw::import {

/// The text of a file and its declarations, which nothing changes.
struct HostFile {
  const ForeignSource& source;
  const std::vector<Item>& items;

  /// The kernel of that name, a defined one first; null if there is none.
  const Item* kernel_named(const std::string& name) const;
  /// The defined host or device function of that name that takes so many arguments, or more with
  /// defaults; null if there is none.
  const Item* function_named(const std::string& name, std::size_t arguments) const;
};

}  // namespace kw::import
