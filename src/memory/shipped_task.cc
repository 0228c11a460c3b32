// Tasks by name among the data files.
// SPDX-License-Identifier: Apache-2.0
#include "memory/shipped_task.h"

namespace kw::memory {

Result<task::TaskFiles> shipped_task(const DataFiles& data, const std::string& name) {
  task::TaskFiles files{"tasks/" + name, data.under("tasks/" + name)};
  const std::string truth = KW_TRY(task::truth_of(files));
  if (!truth.empty()) task::add_truth(files, data.under("tasks/" + truth));
  return files;
}

}  // namespace kw::memory
