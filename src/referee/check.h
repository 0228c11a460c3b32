// What the referee looks at after a call: memory, values, and what happens after the return.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/evaluation.h"
#include "referee/bench.h"
#include "referee/referee.h"

namespace kw::referee {

/// What the check of one call found.
struct Checked {
  std::optional<Verdict> verdict;  ///< Nothing: the call passed.
  Accuracy accuracy;
  std::vector<Finding> findings;
};

/// Which part of the outputs is compared: everything, or blocks drawn by the seed.
struct Depth {
  std::uint64_t seed = 0;
  double share = 1;

  bool is_full() const { return share >= 1; }
};

/// Checks the latest call in a slot, which held the prepared input set `set`. Canaries and values
/// of the chosen blocks are always checked; a full check adds inputs, row padding and the second
/// gate. On timed workloads wrong outputs are compared with the answers for the other input sets,
/// because remembered results are cheating; this destroys the slot's content. `leg` made the call:
/// the guards of its workspaces are checked too. Error: the values are wrong, but the truth cannot
/// be believed (KnownTruths::doubt).
Result<Checked> check_call(Bench& bench, Leg& leg, int slot, int set, const Depth& depth,
                           Stage stage);

/// Time limit of a candidate's call, where T is the time of the reference at the task's type: on
/// cpu the smaller of 100 T and 10 s + 3 T; on cuda the larger of T on the host and 100 times the
/// fast reference, and at most 10 s. Never less than Options::least_timeout_ns.
std::int64_t call_timeout(const Options& options, const Bench& bench);

/// How long a process is watched after its answer, and the CPU time that it may use meanwhile.
struct Watch {
  std::int64_t span_ns = 0;
  double late_cpu_ns = 0;
};

/// Whether code of the candidate may still run after its call returned. Device code cannot, because
/// the time stamp that ends a call is taken after the device code has ended; a host launcher is
/// trusted, and its player waits for the whole device.
bool may_linger(const Candidate& candidate);

/// Whether the candidate is a host launcher that the user alone vouches for, not a task; such a
/// launcher can only be an opponent.
bool is_trusted_by_user(const Candidate& candidate);

/// Limits for watching this candidate. CPU time is unlimited for the task's own baselines, whose
/// libraries may spin (OpenBLAS does); their processes are stopped after the watch like any other.
Watch watch_for(const EvaluationRequest& request, const Options& options, const DeviceFacts& facts);

/// What a process did after its answer.
struct AfterCheck {
  /// The verdict if the process ended by itself, changed outputs, or left processes behind.
  std::optional<Verdict> verdict;
  std::optional<Evidence> late;  ///< CPU time above the limit, in ms, if there was any.
};

/// Lets the player run on after a call that returned and whose outputs nobody has touched since.
/// Late CPU time is only reported, because alone it proves nothing (Suspicion). Costs the watched
/// span and a copy of the outputs.
Result<AfterCheck> check_after_return(Bench& bench, int slot, device::Player& player,
                                      const Watch& watch, Stage stage);

/// Decides when late work counts as cheating: it must show in six of eight watched calls. On a busy
/// virtual machine a process is charged a millisecond or more that it did not use in about one
/// watch of a hundred, at worst in one of ten; six of eight then happen by chance in one of 40,000.
class Suspicion {
 public:
  void tell(bool is_late) {
    late_ += is_late;
    clean_ += !is_late;
  }
  bool is_proven() const { return late_ >= kLate; }
  /// True while another watched call is needed; a clean first call already settles it.
  bool is_open() const { return late_ > 0 && !is_proven() && clean_ <= kWatched - kLate; }

 private:
  static constexpr int kLate = 6;
  static constexpr int kWatched = 8;
  int late_ = 0;
  int clean_ = 0;
};

/// Result of a second run on equal bits: how far apart the compared outputs are. Slot 0 holds the
/// outputs of the first run.
struct Repeatability {
  std::optional<Verdict> verdict;  ///< How the second call itself ended, if it failed.
  bool is_equal = true;
  double spread = 0;  ///< Largest difference between the two runs' values of an element.
};
Result<Repeatability> check_repeat(Bench& bench, Leg& leg, std::int64_t timeout_ns);

/// A crash at an address outside of all guard pages may be a write to a read-only input. Runs the
/// program once more with writable inputs and returns modified_input if an input was written (on a
/// GPU also if the fault then disappears), else `crash` unchanged.
Result<Verdict> refine_crash(Bench& bench, const Program& program, JailLevel jail, int set,
                             std::int64_t timeout_ns, const Verdict& crash);

}  // namespace kw::referee
