// Finds the kernel to specialise, and opens its judge.
// SPDX-License-Identifier: Apache-2.0
#include "session/specialise.h"

#include <filesystem>
#include <optional>
#include <utility>

#include "session/given_kernel.h"
#include "session/judging/task_judge.h"
#include "session/tasks.h"

namespace kw::session {
namespace {

/// The task and target of the kernel that a request names.
struct NamedKernel {
  std::optional<RunSummary> run;  ///< The run; nothing: the name is a file.
  std::string task;
  Aim aim;
};

Result<NamedKernel> named_by(const SpecialiseRequest& request, const store::RunStore& store) {
  if (is_kernel_file(request.kernel)) return NamedKernel{{}, request.task, *request.aim};
  const RunSummary run = KW_TRY(store.find(request.kernel));
  if (!request.task.empty() || request.aim)
    return fail_input(
        ErrorCode::Contradiction, About{"--task"},
        "--task and --target go with a kernel's file; a run has its own task and target");
  return NamedKernel{run, run.config.task_path, {run.config.target, run.config.arch}};
}

Result<Candidate> named_kernel(const Options& options, const SpecialiseRequest& request,
                               const NamedKernel& named, const store::RunStore& store,
                               const task::Definition& definition) {
  if (!named.run)
    return kernel_in_file(options, request.kernel, named.aim.target, definition, request.settings);
  Candidate kernel = KW_TRY(best_of_run(store, *named.run, named.aim.target, definition));
  KW_TRY(set_knobs(kernel, request.settings));
  return kernel;
}

}  // namespace

bool is_kernel_file(const std::string& kernel) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(kernel, ignored);
}

Result<SpecialiseResult> specialise(const Options& options, const SpecialiseRequest& request,
                                    SpecialiseObserver& observer,
                                    std::function<bool()> is_interrupted) {
  auto store = KW_TRY(store::RunStore::open(options.workspace));
  const NamedKernel named = KW_TRY(named_by(request, store));
  auto definition = KW_TRY(open_accepted_task(options, KW_TRY(open_data(options)), named.task));
  KW_TRY(engine::TaskWorkbench::check_baseline(definition, named.aim.target, request.baseline));
  const Candidate kernel = KW_TRY(named_kernel(options, request, named, store, definition));
  const auto judge =
      KW_TRY(TaskJudge::open(options, &store, std::move(definition), named.aim, request.baseline));
  KW_TRY(judge->machine().ensure_ceilings());
  observer.on_begin();
  judge->carrier().hurry_when(is_interrupted);
  SpecialiseResult result;
  result.task = judge->definition().task.name;
  result.target = named.aim.target;
  result.builds =
      KW_TRY(build_for_shapes(judge->surroundings(std::move(is_interrupted)), judge->workbench(),
                              kernel, {.points = request.points, .baseline = request.baseline},
                              [&](const std::string& line) { observer.on_build(line); }));
  return result;
}

}  // namespace kw::session
