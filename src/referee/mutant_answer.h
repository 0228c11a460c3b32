// The answer that a mutant gives on one input set, and what the gates say of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "referee/mutant.h"
#include "referee/subject.h"

namespace kw::referee {

/// What one mutant did on one input set.
struct Tried {
  Judged plain;
  /// What the gates say of the mutant's answer if the results at the place of the dropped elements
  /// are the right ones: a normalisation whose sums lack an element still normalises that element.
  /// Present where it was asked for and such a place exists.
  std::optional<Judged> own_right;
  /// True: the answer is the right one although the mutant does too little to be right by more than
  /// luck. On every input set that is a hole.
  bool is_blind = false;
  bool has_answer = true;  ///< False: the reference gave no answer for the changed inputs.
  /// Why there is no wrong answer, or how much had to be left out to get one.
  std::string note;
};

/// Whether some output has the shape of the input that this mutant drops elements of.
bool has_own_place(const Workload& workload, const Mutant& mutant);

/// Makes the mutant's answer and judges it. Where leaving out the last part changes nothing (a halo
/// that nobody reads, a zero), twice as much is left out, and so on up to half; the smallest part
/// that changes the answer is judged. Inputs are the right ones again afterwards. Cost: none to
/// some ten calls of the reference, one for most mutants. Precondition: the subject is prepared.
Result<Tried> try_mutant(Subject& subject, const Mutant& mutant, bool asks_own_right);

}  // namespace kw::referee
