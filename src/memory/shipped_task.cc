// Finds tasks by name among the data files.
// SPDX-License-Identifier: Apache-2.0
#include "memory/shipped_task.h"

#include <fmt/format.h>

#include "task/narrowed.h"

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
  for (const std::string& like : definition.like) kernels.merge(data.under("playbook/" + like));
  for (auto& [file, source] : kernels)
    if (const auto target = target_of_file(file))
      source = task::with_overload(definition, source, *target);
  return kernels;
}

}  // namespace kw::memory
