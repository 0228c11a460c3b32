// TaskJudge: a task's workbench on the judge of this machine, which every command needs that judges
// kernels of a task.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "engine/run.h"
#include "session/judging/local_judge.h"

namespace kw::session {

class TaskJudge {
 public:
  /// Starts a worker and waits until it has examined the device. `store` keeps the device's facts
  /// and must outlive this object; null: nothing is kept. Error: the task has nothing to time for
  /// the target, no baseline `opponent` can be built here (empty: any will do), or this machine
  /// cannot judge.
  static Result<std::unique_ptr<TaskJudge>> open(const Options& options, store::RunStore* store,
                                                 task::Definition definition, const Aim& aim,
                                                 const std::string& opponent = {});
  /// Does the same with a judge from LocalJudge::start(), whose error is returned.
  static Result<std::unique_ptr<TaskJudge>> meet(Result<std::unique_ptr<LocalJudge>> starting,
                                                 const Options& options, store::RunStore* store,
                                                 task::Definition definition, const Aim& aim,
                                                 const std::string& opponent = {});

  LocalJudge& machine() { return *machine_; }
  evaluate::PipeCarrier& carrier() { return machine_->carrier(); }
  const DeviceFacts& facts() const { return machine_->facts(); }
  engine::TaskWorkbench& workbench() { return workbench_; }
  const task::Definition& definition() const { return workbench_.definition(); }

  /// What functions of the engine need, with a fresh secret seed. The observer and this object must
  /// outlive the result. Precondition: open() was given a store.
  engine::Surroundings surroundings(engine::Observer& observer,
                                    std::function<bool()> is_interrupted);
  /// The same, without an observer.
  engine::Surroundings surroundings(std::function<bool()> is_interrupted) {
    return surroundings(nobody_, std::move(is_interrupted));
  }

 private:
  TaskJudge(std::unique_ptr<LocalJudge> machine, store::RunStore* store,
            engine::TaskWorkbench workbench);

  std::unique_ptr<LocalJudge> machine_;
  store::RunStore* store_;
  engine::TaskWorkbench workbench_;
  engine::Observer nobody_;
};

}  // namespace kw::session
