// Finds kernels and functions of a file by name.
// SPDX-License-Identifier: Apache-2.0
#include "import/host_file.h"
#include "import/host_values.h"
#include "import/words.h"

namespace kw::import {

const Item* HostFile::kernel_named(const std::string& name) const {
  const std::string last = last_part(name);
  const Item* declared = nullptr;
  for (const Item& item : items) {
    if (item.kind != Item::Kind::Kernel || item.name != last) continue;
    if (item.is_defined()) return &item;
    declared = &item;
  }
  return declared;
}

const Item* HostFile::function_named(const std::string& name, std::size_t arguments) const {
  const std::string last = last_part(name);
  const Item* found = nullptr;
  for (const Item& item : items) {
    if (!item.is_function() || item.kind == Item::Kind::Kernel || item.name != last ||
        !item.is_defined())
      continue;
    if (item.parameters.size() == arguments) return &item;
    if (found == nullptr && item.parameters.size() > arguments) found = &item;
  }
  return found;
}

}  // namespace kw::import
