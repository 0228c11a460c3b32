// Makes names of tasks from names of files and functions.
// SPDX-License-Identifier: Apache-2.0
#include "task/draft_name.h"

#include "base/expr.h"
#include "base/text.h"

namespace kw::task {

bool can_name_task(std::string_view name) {
  return is_usable_identifier(name) && !is_expression_function(name);
}

std::string task_name(std::string_view name) {
  std::string made;
  for (const char c : name)
    made += c >= 'A' && c <= 'Z'   ? static_cast<char>(c - 'A' + 'a')
            : c == '-' || c == '.' ? '_'
                                   : c;
  return can_name_task(made) || made.empty() ? made : "k_" + made;
}

}  // namespace kw::task
