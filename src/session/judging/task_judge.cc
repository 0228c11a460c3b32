// Opens a task's workbench on the judge of this machine.
// SPDX-License-Identifier: Apache-2.0
#include "session/judging/task_judge.h"

#include <utility>

#include "base/rng.h"

namespace kw::session {

TaskJudge::TaskJudge(std::unique_ptr<LocalJudge> machine, store::RunStore* store,
                     engine::TaskWorkbench workbench)
    : machine_(std::move(machine)), store_(store), workbench_(std::move(workbench)) {}

Result<std::unique_ptr<TaskJudge>> TaskJudge::open(const Options& options, store::RunStore* store,
                                                   task::Definition definition, const Aim& aim,
                                                   const std::string& opponent) {
  return meet(LocalJudge::start(options, aim), options, store, std::move(definition), aim,
              opponent);
}

Result<std::unique_ptr<TaskJudge>> TaskJudge::meet(Result<std::unique_ptr<LocalJudge>> starting,
                                                   const Options& options, store::RunStore* store,
                                                   task::Definition definition, const Aim& aim,
                                                   const std::string& opponent) {
  auto machine = KW_TRY(std::move(starting));
  KW_TRY(machine->meet(store, aim));
  auto workbench = KW_TRY(engine::TaskWorkbench::create(
      std::move(definition), {}, KW_TRY(workbench_options(options, aim, machine->facts()))));
  KW_TRY(workbench.check_baseline(opponent));
  return std::unique_ptr<TaskJudge>(new TaskJudge(std::move(machine), store, std::move(workbench)));
}

engine::Surroundings TaskJudge::surroundings(engine::Observer& observer,
                                             std::function<bool()> is_interrupted) {
  return {workbench_,
          carrier(),
          *store_,
          platform::real_clock(),
          observer,
          std::move(is_interrupted),
          Seed::from_os().low,
          machine_->judge_id()};
}

}  // namespace kw::session
