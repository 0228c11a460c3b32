// The workbench of a real task: its folder, its playbook, and the units that an evaluation carries.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/workbench.h"
#include "propose/ideas.h"
#include "task/definition.h"

namespace kw::engine {

struct TaskWorkbenchOptions {
  Target target = kDefaultTarget;
  /// Cuda: the GPUs whose limits plans keep to and for which sources are compiled.
  std::vector<GpuFacts> gpu;
  /// Limit for the bytes of a workload's tensors; larger workloads are skipped.
  std::int64_t max_bytes = 0;
  /// Why a baseline cannot be built here, in words; empty if it can. Baselines that cannot be built
  /// are left out, with a notice. A null function: all can be built.
  std::function<std::string(const Candidate&)> why_not_built;
  /// Messages about what the caller has left out; notices() begin with these.
  std::vector<std::string> notices = {};
  /// The headers of the target's dialects are found. Without them kernels that use them are left
  /// out, with a notice.
  bool has_dialect_headers = true;
  JailLevel jail = JailLevel::Namespace;  ///< Weakest jail level that is accepted.
};

class TaskWorkbench final : public Workbench {
 public:
  /// `playbook`: files of the task's playbook folder. An error if the target has no timed workload.
  /// Only the target's baselines are used; on cuda there may be none.
  static Result<TaskWorkbench> create(task::Definition definition,
                                      const std::map<std::string, std::string>& playbook,
                                      const TaskWorkbenchOptions& options);

  const std::vector<search::Idea>& ideas() const override { return search_ideas_; }
  Result<Candidate> candidate(int idea, const KnobPoint& knobs) const override;
  std::string family() const override { return definition_.task.family; }
  const std::vector<Candidate>& baselines() const override { return baselines_; }
  search::Validity fits(const Candidate& candidate) const override;
  Result<EvaluationRequest> request(const Candidate& candidate,
                                    const Candidate* opponent) const override;

  /// The request that admission needs: the workloads and the references, no candidate.
  Result<EvaluationRequest> references() const;

  const task::Definition& definition() const { return definition_; }
  const std::vector<Workload>& workloads() const { return workloads_; }
  /// Workloads that are left out because of options.max_bytes.
  const std::vector<SkippedWorkload>& skipped() const { return skipped_; }
  /// Replaces the timed workloads (for a sweep).
  void set_workloads(std::vector<Workload> workloads) { workloads_ = std::move(workloads); }
  const std::vector<std::string>& notices() const { return notices_; }
  /// The baselines that cannot be built here, by name: the notice that says why.
  const std::map<std::string, std::string>& left_out() const { return left_out_; }
  /// An error (of the input) if no baseline of this name can be the opponent here. An empty name
  /// means the fastest and is no error. Cheap, so call it before anything is timed.
  Result<> check_baseline(const std::string& name) const;
  /// Checks the name of a baseline before there is a device or a compiler: accepts every baseline
  /// that the task has for the target, whether or not it can be built here.
  static Result<> check_baseline(const task::Definition& definition, Target target,
                                 const std::string& name);
  const std::vector<propose::SourceIdea>& proposals() const { return ideas_; }

 private:
  TaskWorkbench() = default;
  Result<> gather_baselines();
  struct Site;
  void gather_search_ideas();
  std::string arch() const;
  /// Adds a candidate's unit and, on cuda, its plans for the request's workloads.
  Result<> add(EvaluationRequest& request, const Candidate& candidate, const char* role) const;
  /// Why a cuda candidate cannot be launched here; empty if it can.
  std::vector<PlanFault> faults_of(const Candidate& candidate) const;

  task::Definition definition_;
  TaskWorkbenchOptions options_;
  std::vector<Workload> workloads_;
  std::vector<SkippedWorkload> skipped_;
  std::vector<propose::SourceIdea> ideas_;
  std::vector<search::Idea> search_ideas_;
  std::vector<Candidate> baselines_;
  std::vector<BuildUnit> references_;
  /// Cuda: the task, timed workloads and GPU that points of knobs are tried on.
  std::shared_ptr<const Site> site_;
  /// Keeps a baseline out of baselines() and says why in notices().
  void leave_out(const std::string& baseline, const std::string& why);
  std::vector<std::string> notices_;
  std::map<std::string, std::string> left_out_;  ///< By baseline: the notice that says why.
};

}  // namespace kw::engine
