// Lists tasks, and gathers what one of them holds.
// SPDX-License-Identifier: Apache-2.0
#include "session/task_view.h"

#include <filesystem>
#include <utility>

#include "base/contains.h"
#include "memory/shipped_task.h"
#include "record/target.h"
#include "session/judging/local_judge.h"
#include "session/tasks.h"
#include "task/load.h"
#include "task/resolve.h"

namespace kw::session {
namespace {

/// Names of the tasks in the workspace.
Result<std::vector<std::string>> own_tasks(const platform::Path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) return names;
  for (std::string& name : KW_TRY(platform::list_dir(folder)))
    if (std::filesystem::exists(folder / name / "task.yaml", ignored))
      names.push_back(std::move(name));
  return names;
}

/// Whether the workspace's task of this name equals the shipped task, as in a clone of the
/// repository.
bool is_as_shipped(const memory::DataFiles& data, const std::string& name,
                   const platform::Path& folder) {
  const auto files = memory::shipped_task(data, name);
  if (!files) return false;
  const auto shipped = task::parse_task(*files);
  const auto own = task::load_task(folder);
  return shipped && own && shipped->task.sha256 == own->task.sha256;
}

}  // namespace

Result<std::vector<ListedTask>> list_tasks(const Options& options) {
  const auto data = KW_TRY(open_data(options));
  std::vector<ListedTask> listed;
  const auto add = [&](const std::string& name, const std::string& where, bool hides = false) {
    listed.push_back({name, where, hides, open_task(options, data, where)});
  };
  const platform::Path folder = platform::Path(options.workspace) / "tasks";
  const auto own = KW_TRY(own_tasks(folder));
  const auto shipped = data.folders("tasks");
  for (const std::string& name : shipped)
    if (!contains(own, name) || is_as_shipped(data, name, folder / name)) add(name, name);
  for (const std::string& name : own) {
    const bool has_shipped = contains(shipped, name);
    if (!has_shipped || !is_as_shipped(data, name, folder / name))
      add(name, (folder / name).string(), has_shipped);
  }
  return listed;
}

Result<TaskView> view_task(const Options& options, const std::string& task, Aim aim) {
  const auto data = KW_TRY(open_data(options));
  auto definition = KW_TRY(open_task(options, data, task));
  // Launch plans and knobs depend only on the limits of a device, so any architecture serves to
  // show them.
  if (aim.arch.empty()) aim.arch = row_of(aim.target).usual_arch;
  auto settings = KW_TRY(workbench_options(options, aim));
  if (std::string why = memory::why_playbook_left_out(data, definition); !why.empty())
    settings.notices.push_back(std::move(why));
  auto resolved = KW_TRY(task::resolve(definition, settings.target, settings.max_bytes));
  const auto playbook = memory::shipped_playbook(data, definition);
  const auto workbench =
      KW_TRY(engine::TaskWorkbench::create(std::move(definition), playbook, settings));
  return TaskView{workbench.definition(), workbench.workloads(), std::move(resolved.skipped),
                  workbench.baselines(),  workbench.proposals(), workbench.notices()};
}

}  // namespace kw::session
