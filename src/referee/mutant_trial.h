// Mutants of one timed workload, tried on one input set after another until each is caught.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/task.h"
#include "referee/admission.h"
#include "referee/mutant.h"
#include "referee/subject.h"

namespace kw::referee {

/// Input sets after which a mutant that passed all of them is a hole: where its answer differs, few
/// sets may hold values that show it. A verdict sees fewer sets: docs/admission.md has the figures.
inline constexpr int kMutantSets = 48;
/// Input sets after which one whose answer was the right one each time does not apply.
inline constexpr int kSetsToApply = 4;

/// Whom a trial tells and what it asks while it runs.
struct TrialOutside {
  std::function<void(const std::string&)> tell = {};  ///< How far it is.
  std::function<bool()> is_spent = {};                ///< Time is up: nothing more is begun.
};

class MutantTrial {
 public:
  /// `task` and `workload` outlive it.
  MutantTrial(const Task& task, const Workload& workload, TrialOutside outside);

  bool is_open() const { return open() > 0; }
  /// Tries whatever is open on a prepared subject, which is one input set of the workload.
  Result<> run(Subject& subject);
  /// Wrong answers of which another input set could say more.
  int open() const;
  /// Of those of which enough is known, in the order of mutants_of().
  std::vector<MutantResult> results() const;

 private:
  struct Entry {
    Mutant mutant;
    MutantResult plain;
    std::optional<MutantResult> own_right;  ///< As Tried::own_right.
  };

  const Task& task_;
  const Workload& workload_;
  TrialOutside outside_;
  std::vector<Entry> entries_;
  int sets_ = 0;
};

}  // namespace kw::referee
