// Tasks by name among the data files.
// SPDX-License-Identifier: Apache-2.0
#include "memory/shipped_task.h"

#include <fmt/format.h>

namespace kw::memory {

Result<task::TaskFiles> shipped_task(const DataFiles& data, const std::string& name) {
  const auto read = [&data](std::string_view task) -> Result<task::TaskFiles> {
    const std::string folder = fmt::format("tasks/{}", task);
    return task::TaskFiles{folder, data.under(folder)};
  };
  task::TaskFiles files = KW_TRY(read(name));
  KW_TRY(task::borrow(files, read));
  return files;
}

std::map<std::string, std::string> shipped_playbook(const DataFiles& data,
                                                    const task::Definition& definition) {
  auto kernels = data.under("playbook/" + definition.task.name);
  if (!definition.like.empty()) kernels.merge(data.under("playbook/" + definition.like));
  return kernels;
}

}  // namespace kw::memory
