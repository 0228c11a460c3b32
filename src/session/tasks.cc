// Looks tasks up.
// SPDX-License-Identifier: Apache-2.0
#include "session/tasks.h"

#include <filesystem>

#include "base/text.h"
#include "base/with_nearest.h"
#include "memory/shipped_task.h"
#include "task/load.h"

namespace kw::session {

Result<memory::DataFiles> open_data(const Options& options) {
  if (options.data_dir.empty()) return memory::DataFiles::open(std::nullopt);
  return memory::DataFiles::open(platform::Path(options.data_dir));
}

std::optional<platform::Path> task_folder(const Options& options, const std::string& name) {
  std::error_code ignored;
  if (std::filesystem::is_directory(name, ignored)) return name;
  const platform::Path own = new_task_folder(options, name);
  if (std::filesystem::is_directory(own, ignored)) return own;
  return std::nullopt;
}

platform::Path new_task_folder(const Options& options, const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  return platform::Path(options.workspace) / "tasks" / name;
}

Result<task::Definition> open_task(const Options& options, const memory::DataFiles& data,
                                   const std::string& name) {
  if (const auto folder = task_folder(options, name)) return as_input(task::load_task(*folder));
  // A run that was started in a clone of the repository may name a shipped task by its folder, such
  // as tasks/softmax.
  constexpr std::string_view kShipped = "tasks/";
  const bool is_named_by_folder = name.starts_with(kShipped);
  const auto files = KW_TRY(as_input(
      memory::shipped_task(data, is_named_by_folder ? name.substr(kShipped.size()) : name)));
  if (!files.texts.empty()) return as_input(task::parse_task(files));
  std::vector<std::string> known = data.folders("tasks");
  for (const platform::Path& place : {platform::Path(name), new_task_folder(options, name)})
    for (std::string& beside : task::tasks_beside(place)) known.push_back(std::move(beside));
  return fail_input(ErrorCode::NotFound,
                    About{with_nearest(platform::Path(name).filename().string(), known)},
                    "no task folder and no shipped task of this name" +
                        suggestion(platform::Path(name).filename().string(), known),
                    name);
}

Result<task::Definition> open_accepted_task(const Options& options, const memory::DataFiles& data,
                                            const std::string& name) {
  auto definition = KW_TRY(open_task(options, data, name));
  if (!definition.draft.empty())
    return fail_input(
        ErrorCode::BadInput, About{"draft"},
        "a model drafted this task and nobody has accepted it: read it, then kw task accept " +
            name + " (or draft with kw task new --describe --yes)",
        name);
  return definition;
}

}  // namespace kw::session
