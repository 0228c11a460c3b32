// Tries the mutants of one timed workload on one input set after another until each is refused.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/task.h"
#include "referee/admission.h"
#include "referee/loop_cuts.h"
#include "referee/mutant.h"
#include "referee/subject.h"

namespace kw::referee {

/// Number of input sets after which a mutant that passed all of them is reported as a hole in the
/// gates: where its answer differs, few sets may hold values that show the difference. A verdict
/// sees fewer sets: docs/admission.md has the figures.
inline constexpr int kMutantSets = 48;
/// Number of input sets after which a mutant whose answer was right each time does not apply.
inline constexpr int kSetsToApply = 4;

/// Callbacks of a trial: whom it tells its progress, and whether it must stop.
struct TrialOutside {
  std::function<void(const std::string&)> tell = {};  ///< Gets the progress in words.
  std::function<bool()> is_spent = {};  ///< True once the time is up: no further step begins.
};

/// The reason why the task lets a wrong answer of this name pass on this workload; nothing if there
/// is none. `workload` is empty for what concerns all of them.
std::optional<std::string> excuse_of(const Task& task, std::string_view name,
                                     std::string_view workload);

class MutantTrial {
 public:
  /// `task` and `workload` must outlive the trial. `loops`: null where no loop can be cut.
  MutantTrial(const Task& task, const Workload& workload, TrialOutside outside,
              std::unique_ptr<LoopCuts> loops = nullptr);

  bool is_open() const { return open() > 0; }
  /// Tries every mutant that is not decided yet on a prepared subject, which is one input set of
  /// the workload.
  Result<> run(Subject& subject);
  /// Number of mutants whose fate another input set could still decide.
  int open() const;
  /// Results of the mutants about which enough is known, in the order of mutants_of()
  /// and LoopCuts::mutants().
  std::vector<MutantResult> results() const;

 private:
  struct Entry {
    Mutant mutant;
    MutantResult plain;
    std::optional<MutantResult> own_right;  ///< Result for Tried::own_right.
    int blind = 0;                          ///< Number of sets with Tried::is_blind.
    int unanswered = 0;                     ///< Number of sets without Tried::has_answer.
  };

  const Task& task_;
  const Workload& workload_;
  TrialOutside outside_;
  std::unique_ptr<LoopCuts> loops_;
  std::vector<Entry> entries_;
  int sets_ = 0;
};

}  // namespace kw::referee
