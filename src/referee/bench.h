// Everything the referee keeps about one workload: buffers, input sets, truths, the trusted
// baseline.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "device/device.h"
#include "record/evaluation.h"
#include "referee/gate.h"
#include "referee/inputs.h"
#include "referee/leg.h"
#include "referee/truth.h"

namespace kw::referee {

/// What the referee knows of one input set; the answers never enter memory that a candidate maps.
struct Known {
  TruthMaker::Truth truth;
  std::vector<std::vector<RegionTruth>> regions;  ///< Per tensor, per compared region.
  Accuracy baseline;                              ///< Of the trusted baseline against the truth.
  std::optional<std::string> baseline_failure;    ///< Words, if it fails its own gates.
};

/// Input set of warm-up calls; timed calls use sets 1 and up, checks of small workloads set 1.
inline constexpr int kWarmSet = 0;

/// The task's own code, as every bench of a run uses it.
struct Trusted {
  TruthMaker maker;
  const Program* native = nullptr;  ///< reference_native; null for tasks without a second gate.
  /// reference_fast on the GPU itself; no `reference`: the task ships none.
  TruthMaker fast = {};
};

/// RMS error of the trusted baseline ÷ (RMS of the truth × √(dot length)), per tensor and region;
/// negative where the second gate says nothing.
using RelativeErrors = std::vector<std::vector<double>>;

/// One workload. Holds references to `task` and `workload`, which must outlive it.
///
/// Where references run on another device (the host of a GPU), a bench has a *twin* there: each set
/// is read into it, the twin learns what there is to know, and the truth is carried back. Workloads
/// that would take the host too long get theirs from the task's fast reference, on the device.
class Bench {
 public:
  Bench(device::Device& device, const Task& task, const Workload& workload, Seed seed,
        Trusted trusted);

  /// Another bench of the same task and device, whose truths come from where this one's do. For a
  /// workload of the same shape, which it borrows.
  std::unique_ptr<Bench> sibling(const Workload& workload, Seed seed) const;

  /// Buffers for `count` distinct argument sets; growing ends the use of earlier players' maps.
  Result<> ensure_slots(int count);
  /// Ends the lives of every leg of make_leg() and the trusted baseline's.
  void end_lives();
  /// Gives every slot memory that no foreign code has mapped, before lives begin: what an earlier
  /// one left in an inode or on its pages is not there. Does end_lives(), for they map the old
  /// memory. On a GPU nothing happens. About 0.1 ms a MiB in huge pages, 0.6 ms in small ones;
  /// nothing where the slots are new. After an error there are no slots.
  Result<> renew_memory();
  /// Gives the slots beyond these back; ends the use of players' maps likewise.
  void keep_slots(int count);
  /// After a candidate went wrong: whatever it may have damaged is renewed before the next call.
  Result<> repair();
  /// Computes what is known of a set, once. Uses slot 0: never between a call and its check.
  Result<> prepare(int set);
  /// The same for several benches of one run, with one process of each reference for all of them:
  /// for small workloads a process costs more than everything it computes.
  static Result<> prepare_together(std::span<Bench* const> benches, int set);
  /// Whether truths here come from the fast reference. It must have been verified before any is
  /// prepared.
  bool is_fast() const { return is_fast_; }
  /// Compares the fast reference with the truths known of a set, one process of it for all benches:
  /// an error, which names the task, if they differ by more than float64 rounding. Preconditions:
  /// all of one run, prepared, and none is_fast().
  static Result<> verify_fast(std::span<Bench* const> benches, int set);
  /// Largest of the relative errors of several benches, by tensor and region: what to expect of a
  /// workload on which the trusted baseline cannot be run. Precondition: as for relative_errors().
  static RelativeErrors worst_errors(std::span<Bench* const> benches, int set);
  /// Words, which name the task, if the truth known of a set cannot be believed: a new process,
  /// whose outputs hold other bytes before the call, gives another one, at once or in a later call.
  /// Then the reference leaves elements unwritten or keeps something from call to call. Costs up to
  /// eight calls of the reference (one, where it takes seconds), until it was believed once.
  /// Precondition: prepared.
  Result<std::optional<std::string>> doubt(int set);
  /// What the trusted baseline reached on a set. Precondition: prepared.
  RelativeErrors relative_errors(int set) const;
  /// Gives back what only preparing needs: the processes and buffers of the fast reference.
  void rest();
  /// The same at the end of an evaluation: what is small stays for the next one.
  void rest_if_large();

  // On a GPU, where a process lives through many timed calls, each pair has a set of its own.
  /// The number of a set that no process has seen and none will see again; it is drawn when it is
  /// first placed.
  int fresh_set() { return next_fresh_set_++; }
  /// Whether the truth of a set costs less than a new process of a candidate would. Precondition:
  /// the set of the checks is prepared.
  bool answers_quickly() const;
  /// What is known of a fresh set, just in time. By the fast reference where there is one that was
  /// verified: it is then compared once with the host's truth of this very workload, an error as
  /// verify_fast() gives, and no slot is touched. Else as prepare().
  Result<> answer(int set);
  /// Whether what answer() works with is at hand; else it takes about as much memory as
  /// bytes_to_begin() says.
  bool is_ready_to_answer() const { return series_ != nullptr || !has_trusted_fast(); }
  /// Forgets a fresh set; its memory serves the next one.
  void drop(int set);
  /// The fast reference agreed with the host's truths, so that it may answer here too.
  void trust_fast() { is_fast_trusted_ = true; }
  /// Where is_fast(): what to expect of the trusted baseline, which is too slow to be run.
  void expect(RelativeErrors errors) { expected_ = std::move(errors); }
  bool is_prepared(int set) const { return known_.contains(set); }
  /// Precondition: prepared.
  const Known& known(int set) const { return known_.at(set); }
  std::vector<int> prepared_sets() const;

  /// place() with a seed of its own for every call.
  Result<> place(int slot, int set, Outputs outputs = Outputs::Poisoned);
  /// The same with inputs for this call alone, whose truth nobody knows.
  Result<> place_unknown(int slot);
  /// Makes caches cold for the tensors of the first `slots` slots.
  Result<> flush(int slots);
  /// The same placement as the latest in this slot, poison included: for a second run on equal
  /// bits.
  Result<> place_again(int slot);
  /// The referee's own copy of a tensor's size, for snapshots; its content is anybody's.
  Result<device::Buffer*> scratch(std::size_t tensor);
  /// What a player for all slots maps; `read_only_inputs` as the referee wants them.
  device::PlayerSpec player_spec(std::string name, JailLevel jail, bool read_only_inputs) const;
  /// A leg that stands at this workload alone; `is_followed` as in device::PlayerSpec.
  std::unique_ptr<Leg> make_leg(std::string name, JailLevel jail, bool read_only_inputs,
                                const Program& program, bool is_followed = true);

  device::Device& device() { return device_; }
  const Task& task() const { return task_; }
  const Workload& workload() const { return workload_; }
  Slot& slot(int index) { return slots_.at(static_cast<std::size_t>(index)); }
  int slots() const { return static_cast<int>(slots_.size()); }
  InputPool& pool() { return pool_; }
  Seed seed() const { return seed_; }
  double native_ns() const { return native_ns_; }  ///< Time of the trusted baseline; 0: unknown.
  double fast_ns() const { return fast_ns_; }      ///< Of the fast reference; 0: unknown.
  bool runs_plans() const { return device_.facts().target == Target::Cuda; }
  /// Bytes for one more input set with its truth.
  std::int64_t bytes_per_set() const;
  /// Bytes for the least that a timed workload needs: one slot, three sets, one truth in the
  /// making.
  std::int64_t bytes_to_begin() const;
  /// Whether these bytes are free, on the host too where a truth is made there.
  bool fits() const;
  /// Whether this device could hold them if nothing else did; cost: none.
  bool could_fit() const;

  // Kept for later evaluations of the same run; the measuring code owns their meaning.
  std::unique_ptr<Leg> opponent;          ///< Warm, for `opponent->object()`.
  std::optional<NoiseFloor> noise_floor;  ///< Measured once a win depends on it.
  std::optional<double> empty_ns;         ///< Of a player that maps these buffers; cuda: the
                                          ///< least Leg::stamps_apart_ns() of both legs.

 private:
  static Result<> prepare_here(std::span<Bench* const> benches, int set);
  static Result<> prepare_on_host(std::span<Bench* const> benches, int set);
  Result<> prepare_fast(int set);
  /// Words about what is not equal, but for float64 rounding; nothing: they are.
  Result<std::optional<std::string>> difference(const TruthMaker::Truth& other, const Known& known);
  Result<TruthMaker::Truth> lift(TruthMaker::Truth truth);
  Result<> learn_truth(int set, Known& known);
  /// `finite`: of the tensor's size, without anything that is no number.
  Result<std::vector<RegionTruth>> facts_of(std::size_t index, const Known& known,
                                            device::Buffer& finite);
  Result<> answer_fast(int set);
  bool has_trusted_fast() const;
  /// Puts in what to expect of the trusted baseline, which did not run.
  void assume_baseline(Known& known) const;
  device::PlayerSpec native_spec() const {
    return player_spec("reference", trusted_.maker.jail, false);
  }
  Result<std::unique_ptr<Leg>> start_native(device::PlayerSpec spec,
                                            const std::vector<Stand>& stands) const;
  Result<> learn_native(Leg& leg, Known& known);
  static Result<> learn_native_together(std::span<Bench* const> benches, std::span<Known> known);

  device::Device& device_;
  const Task& task_;
  const Workload& workload_;
  Seed seed_;
  Trusted trusted_;
  InputPool pool_;
  std::vector<Slot> slots_;
  std::shared_ptr<Tenants> tenants_ = std::make_shared<Tenants>();  ///< Legs of make_leg().
  std::vector<std::unique_ptr<device::Buffer>> scratch_;
  std::map<int, Known> known_;
  std::unique_ptr<Leg> native_;
  bool is_memory_used_ = false;  ///< By a life of foreign code.
  double native_ns_ = 0;
  double fast_ns_ = 0;
  std::unique_ptr<Bench> twin_;  ///< On the host; null where this device runs references.
  bool is_fast_ = false;
  bool is_believed_ = false;  ///< doubt() found nothing.
  bool is_fast_trusted_ = false;
  bool is_fast_compared_ = false;  ///< With the host's truth of this workload.
  int next_fresh_set_ = 1000;      ///< Above the numbers of all sets that are kept.
  std::vector<TruthMaker::Truth> spare_truths_;
  RelativeErrors expected_;
  std::unique_ptr<TruthSeries> series_;  ///< Of the fast reference, between two sets.
  std::uint64_t calls_placed_ = 0;
};

}  // namespace kw::referee
