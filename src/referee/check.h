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

/// What a check of one call found.
struct Checked {
  std::optional<Verdict> verdict;  ///< Nothing: passed.
  Accuracy accuracy;
  std::vector<Finding> findings;
};

/// Which part of the outputs is compared: everything, or blocks drawn by the seed.
struct Depth {
  std::uint64_t seed = 0;
  double share = 1;

  bool is_full() const { return share >= 1; }
};

/// Checks the latest call in a slot, of which `set` was placed and is prepared. Always: canaries
/// and values of the chosen blocks. When full also inputs, row padding and the second gate. On
/// timed workloads wrong outputs are compared with the answers for the other sets (which costs the
/// slot its content): remembered results are cheating.
/// `leg` made the call: the guards of its workspaces are looked at too. Error: wrong values, but
/// the truth cannot be believed (Bench::doubt).
Result<Checked> check_call(Bench& bench, Leg& leg, int slot, int set, const Depth& depth,
                           Stage stage);

/// How long a candidate's call may take. On cpu 100 times what the reference takes at the task's
/// type, but beyond 10 s no more than another 3 times. On cuda as long as that reference takes on
/// the host, or 100 times the fast reference, and at most 10 s. Never less than Options say.
std::int64_t call_timeout(const Options& options, const Bench& bench);

/// How long a process is watched after its answer, and the CPU time that it may spend meanwhile.
struct Watch {
  std::int64_t span_ns = 0;
  double late_cpu_ns = 0;
};

/// Whether something of it may go on after its call: not of device code, whose end the stamp
/// awaits, nor of a host launcher, which is trusted and whose player awaits the whole device.
bool may_linger(const Candidate& candidate);

/// A host launcher that no task vouches for, so that the user alone does: an opponent may be one.
bool is_trusted_by_user(const Candidate& candidate);

/// The CPU time is without limit for the task's own baselines, whose libraries may spin (OpenBLAS
/// does); a process that has returned is stopped anyway.
Watch watch_for(const EvaluationRequest& request, const Options& options, const DeviceFacts& facts);

/// What a process did after its answer.
struct AfterCheck {
  std::optional<Verdict> verdict;  ///< Ended by itself, changed outputs, left processes behind.
  std::string late;                ///< Words about CPU time above the limit; empty: none.
};

/// Lets the player run on after a call that returned and whose outputs were not touched since. CPU
/// time is only reported, since it alone proves nothing: see Suspicion. Costs the span and a copy
/// of the outputs.
Result<AfterCheck> check_after_return(Bench& bench, int slot, device::Player& player,
                                      const Watch& watch, Stage stage);

/// What it takes to call late work cheating: it must show in six of eight watched calls. On a busy
/// virtual machine a process is charged a millisecond and more that it did not use in about one
/// watch of a hundred, at the worst in one of ten; six of eight then come by chance in one of
/// 40,000.
class Suspicion {
 public:
  void tell(bool is_late) {
    late_ += is_late;
    clean_ += !is_late;
  }
  bool is_proven() const { return late_ >= kLate; }
  /// Another watched call is needed; a first clean one already suffices.
  bool is_open() const { return late_ > 0 && !is_proven() && clean_ <= kWatched - kLate; }

 private:
  static constexpr int kLate = 6;
  static constexpr int kWatched = 8;
  int late_ = 0;
  int clean_ = 0;
};

/// Runs a second time on equal bits and says how far apart the compared outputs are. Slot 0 holds
/// the outputs of the first run.
struct Repeatability {
  std::optional<Verdict> verdict;  ///< Of the second call itself.
  bool is_equal = true;
  double spread = 0;  ///< Largest difference of two elements.
};
Result<Repeatability> check_repeat(Bench& bench, Leg& leg, std::int64_t timeout_ns);

/// A crash at an address in no guard may be a write to a read-only input: runs the program once
/// more with writable inputs and returns modified_input if so (on a GPU also if the fault is gone
/// then), else `crash` as it was.
Result<Verdict> refine_crash(Bench& bench, const Program& program, JailLevel jail, int set,
                             std::int64_t timeout_ns, const Verdict& crash);

}  // namespace kw::referee
