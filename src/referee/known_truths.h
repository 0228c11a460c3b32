// The truths of one workload's input sets: how they are computed, and whether they can be believed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "referee/bench_site.h"
#include "referee/fast_reference.h"
#include "referee/known.h"
#include "referee/slots.h"
#include "referee/trusted_baseline.h"
#include "referee/truth.h"

namespace kw::referee {

/// Why a task's reference cannot be believed.
struct Doubt {
  std::string about;  ///< Short name: "unwritten" or "kept from call to call".
  std::string words;
};

/// Computes what is known of each input set of one workload, and keeps it. Where references run on
/// another device, each input set is read into the truths' *twin* there, the twin computes the
/// truth, and the truth is carried back.
class KnownTruths {
 public:
  /// All are borrowed. `twin`: the truths of the same workload on the device that runs the
  /// references; null if that is this device, or if truths come from the fast reference.
  KnownTruths(BenchSite& site, Slots& slots, TrustedBaseline& baseline, FastReference& fast,
              KnownTruths* twin)
      : site_(site), slots_(slots), baseline_(baseline), fast_(fast), twin_(twin) {}

  /// Computes, once, the truth of an input set and the trusted baseline's accuracy on it.
  /// Overwrites slot 0, so it must not be called between a candidate's call and the check of its
  /// outputs. A fast reference that is used must have been verified before.
  Result<> prepare(int set);
  /// Calls prepare() for several workloads of one run, with one process of each reference for all
  /// of them: for small workloads a process costs more than everything that it computes.
  static Result<> prepare_together(std::span<KnownTruths* const> truths, int set);
  /// Compares the fast reference with the known truths of an input set, with one process of the
  /// fast reference for all workloads. An error, which names the task, if they differ by more than
  /// float64 rounding. Preconditions: the workloads are of one run, prepared, and none has its
  /// truths from the fast reference.
  static Result<> verify_fast(std::span<KnownTruths* const> truths, int set);

  bool is_prepared(int set) const { return known_.contains(set); }
  /// Truth and baseline accuracy of an input set. Precondition: the set is prepared.
  const Known& known(int set) const { return known_.at(set); }
  std::vector<int> prepared_sets() const;

  /// The reason, if the truth of an input set cannot be believed: a new
  /// process, whose outputs hold other bytes before the call, computes another truth, at once or in
  /// a later call. Then the reference leaves elements unwritten or keeps something from call to
  /// call. Costs up to eight calls of the reference (one, where a call takes seconds), until the
  /// reference was believed once. Precondition: the input set is prepared.
  Result<std::optional<Doubt>> doubt(int set);
  /// Believes the reference if it was believed at another workload of the same shape.
  void believe_like(const KnownTruths& other) { is_believed_ = other.is_believed_; }

  // The following functions serve GPUs, where a process lives through many timed calls and each
  // pair has an input set of its own.

  /// Number of an input set that no process has seen and none will see again. The set is drawn when
  /// it is first placed in a slot.
  int fresh_set() { return next_fresh_set_++; }
  /// Whether computing the truth of an input set costs less than starting a new process of a
  /// candidate. Precondition: the set of the checks is prepared.
  bool answers_quickly() const;
  /// Computes the truth of an input set that fresh_set() numbered, just before the set is used. A
  /// trusted fast reference is used where there is one: it is then compared once with the host's
  /// truth of this very workload (errors as for verify_fast()), and no slot is touched. Otherwise
  /// the same as prepare().
  Result<> answer(int set);
  /// Forgets an input set that fresh_set() numbered; the next such set uses its memory.
  void drop(int set);

 private:
  static Result<> prepare_here(std::span<KnownTruths* const> truths, int set);
  static Result<> prepare_on_host(std::span<KnownTruths* const> truths, int set);
  Result<> prepare_fast(int set);
  Result<> answer_fast(int set);
  Result<> learn_figures(int set, Known& known);

  BenchSite& site_;
  Slots& slots_;
  TrustedBaseline& baseline_;
  FastReference& fast_;
  KnownTruths* twin_;
  std::map<int, Known> known_;
  bool is_believed_ = false;   ///< True once doubt() found nothing wrong.
  int next_fresh_set_ = 1000;  ///< Starts above the numbers of all sets that are kept.
};

}  // namespace kw::referee
