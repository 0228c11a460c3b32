// PlaybookMeter: times each expert kernel of the playbook against the kernel that it improves on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "memory/graph_build.h"
#include "memory/playbook_graph.h"
#include "session/judging/local_judge.h"
#include "session/tasks.h"

namespace kw::session {

class PlaybookMeter {
 public:
  /// All arguments but `aim` must outlive the meter. Starts no worker.
  PlaybookMeter(const Options& options, const memory::DataFiles& data, store::RunStore& store,
                const Aim& aim)
      : options_(options), data_(data), store_(store), aim_(aim) {}

  /// The key under which a graph records that it has already counted this step between kernels of
  /// the playbook.
  static std::string counted(const memory::PlaybookStep& step);

  /// The step's speedup if an earlier build measured it on this device; otherwise nothing.
  Result<std::optional<double>> known(const memory::PlaybookStep& step) const;

  /// Measures the speedup of the step; 0: a kernel is not correct on this machine or could not be
  /// timed, which is told by Options::on_notice. Starts a worker when first called.
  Result<double> measure(const memory::PlaybookStep& step);

 private:
  Result<double> speedup_of(const memory::PlaybookStep& step,
                            const engine::TaskWorkbench& workbench, const Candidate& kernel,
                            const Candidate& before);
  /// The candidate, with each knob at its first value.
  std::optional<Candidate> candidate_of(const std::string& name, const std::string& source,
                                        const engine::TaskWorkbench& workbench) const;

  const Options& options_;
  const memory::DataFiles& data_;
  store::RunStore& store_;
  const Aim aim_;
  std::unique_ptr<LocalJudge> machine_;
};

}  // namespace kw::session
