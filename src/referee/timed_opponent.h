// The opponent of a timing: its calls, and what its failures mean.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/evidence.h"
#include "referee/timed_sets.h"
#include "referee/timed_workload.h"

namespace kw::referee {

/// Times the opponent, and decides whose trouble it is if the opponent goes wrong, and what becomes
/// of the candidate. Precondition of all but excuse() and fault(): there is an opponent.
class TimedOpponent {
 public:
  /// `site` and `sets` must outlive the object.
  TimedOpponent(TimingSite& site, TimedSets& sets) : site_(site), sets_(sets) {}

  /// Prepares the opponent for timed calls and returns a first estimate of its call, in ns.
  Result<double> seat(TimedWorkload& at);
  /// Times a sample of the opponent.
  Result<SampleTime> time(TimedWorkload& at, const std::vector<int>& sets);
  /// Times a sample of a seat that runs the opponent's program.
  Result<SampleTime> time(Seat& seat, const std::vector<int>& sets, const AfterCall& after = {});
  /// Makes the error of an opponent that went wrong, which excuse() recognises.
  std::unexpected<Error> fails(const Evidence& seen);
  /// Turns the failure of an opponent into a verdict, because such a failure accuses only whoever
  /// wrote the opponent and must not stop a run. A baseline's failure stays an error if the
  /// baseline also fails without the candidate. Ends every process of the timing.
  Ended excuse(Ended ended);
  /// Says why excuse() ended the timing as (measure, unmeasurable); empty: it did not.
  std::string fault() const;

 private:
  /// Whether the opponent works once no process of the candidate is there.
  Result<bool> serves_alone(TimedWorkload& at);

  TimingSite& site_;
  TimedSets& sets_;
  std::optional<Evidence> fault_;
};

/// Makes the opponent's samples shorter, to last about as long as the candidate's: what a sample
/// costs beside its calls (threads that wake, a cold start) then weighs the same on both sides. Not
/// done near a tie, where both legs must be alike. Uses pairs that were timed and checked, because
/// a candidate could fake the time of its first calls.
void shorten_opponent(TimedWorkload& at, const Options& options);

/// Number of calls that a sample needs; a whole number.
double calls_needed(double call_ns, const Options& options);

}  // namespace kw::referee
