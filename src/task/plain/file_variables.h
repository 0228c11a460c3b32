// The variables and constants that a file declares outside its functions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "record/dtype.h"
#include "task/plain/site_reader.h"

namespace kw::task {

struct FileVariable {
  std::string name;
  std::size_t token = 0;  ///< Its name, where it is declared.
  std::string type;       ///< Words of the element type, without const and static.
  std::optional<Dtype> dtype;
  bool is_const = false;  ///< Declared const or constexpr, or a name of an enum.
  std::size_t stars = 0;  ///< Of a pointer.
  bool is_odd = false;    ///< Declared in a way that is not read, such as a pointer to an array.
  std::vector<TokenRange> bounds;  ///< What stands in the brackets of an array; may be empty.
  std::string value;  ///< Text of the initial value, such as "3" or "{1, 2}"; empty: it has none.
  TokenRange value_tokens;  ///< … where it is written; empty where it follows from others.
};

/// In the order of the file, those inside `extern "C"` and namespaces included. A name that is
/// declared twice comes once, with its value.
std::vector<FileVariable> file_variables(const SiteReader& reader);

}  // namespace kw::task
