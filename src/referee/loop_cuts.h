// Kernels that end a loop of the task's reference too early, or run it in the wrong order: what
// they answer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "record/evaluation.h"
#include "record/reference_loops.h"
#include "referee/mutant.h"
#include "referee/mutant_answer.h"
#include "referee/program.h"
#include "referee/subject.h"
#include "referee/truth.h"

namespace kw::referee {

/// Runs the reference with one of its loops cut short or backwards (task/reference_loops.h).
class LoopCuts {
 public:
  /// Nothing where the request has no such program, or where the truth does not come from the
  /// host's reference. `maker` makes the truths of this workload; it and the request must outlive
  /// the result.
  static std::unique_ptr<LoopCuts> of(const EvaluationRequest& request, const TruthMaker& maker,
                                      const Workload& workload);

  /// The mutants of kind Cut, in the order of the loops.
  std::vector<Mutant> mutants() const;
  /// The answer with one loop cut, and what the gates say of it. An answer that is right although
  /// much of the time was saved is blind: nobody needs the passes that were left out. A loop that
  /// runs backwards is right if its answer differs by no more than sums in another order may.
  Result<Tried> try_mutant(Subject& subject, const Mutant& mutant);

 private:
  LoopCuts(const EvaluationRequest& request, const TruthMaker& maker, const Workload& workload,
           Program program, std::vector<ReferenceLoop> loops);
  Result<std::optional<std::string>> answer(Subject& subject, int number);
  Result<std::optional<std::string>> prove_whole(Subject& subject);
  Result<std::optional<double>> share_of_time(Subject& subject, int number);

  Task task_;          ///< The task with the argument that says what is cut.
  Workload workload_;  ///< The workload with this argument.
  Program program_;
  std::vector<ReferenceLoop> loops_;
  TruthMaker maker_;
  std::unique_ptr<TruthSeries> series_;
  bool is_proven_ = false;  ///< True once the answer without a cut was the right one.
};

}  // namespace kw::referee
