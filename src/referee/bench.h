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
#include "record/target.h"
#include "referee/gate.h"
#include "referee/inputs.h"
#include "referee/leg.h"
#include "referee/truth.h"

namespace kw::referee {

/// The truth of one input set, and the trusted baseline's accuracy on it. The truth never enters
/// memory that a candidate maps.
struct Known {
  TruthMaker::Truth truth;
  std::vector<std::vector<RegionTruth>> regions;  ///< By tensor, then by compared region.
  Accuracy baseline;  ///< Accuracy of the trusted baseline against the truth.
  /// A message that says why the trusted baseline fails the task's gates; nothing if it passes.
  std::optional<std::string> baseline_failure;
};

/// The input set of warm-up calls. Timed calls use sets 1 and up; checks of small workloads use set
/// 1.
inline constexpr int kWarmSet = 0;

/// The task's own code, shared by all benches of a run.
struct Trusted {
  TruthMaker maker;
  /// The program of reference_native; null for tasks without a second gate.
  const Program* native = nullptr;
  /// Runs the task's reference_fast on the GPU itself; its `reference` is null where the task ships
  /// none.
  TruthMaker fast = {};
};

/// RMS error of the trusted baseline ÷ (RMS of the truth × √(dot length)), per tensor and region;
/// negative where the second gate does not apply.
using RelativeErrors = std::vector<std::vector<double>>;

/// Buffers, input sets and truths of one workload. Holds references to `task` and `workload`, which
/// must outlive it.
///
/// Where references run on another device (the host of a GPU), a bench has a *twin* there: each
/// input set is read into the twin, the twin computes the truth, and the truth is carried back. A
/// workload that would take the host too long gets its truth from the task's fast reference, on the
/// device.
class Bench {
 public:
  Bench(device::Device& device, const Task& task, const Workload& workload, Seed seed,
        Trusted trusted);

  /// Another bench of the same task and device with the same source of truths, for a workload of
  /// the same shape. The new bench borrows `workload`.
  std::unique_ptr<Bench> sibling(const Workload& workload, Seed seed) const;

  /// Makes sure that there are `count` slots: buffers for that many distinct argument sets. Growing
  /// invalidates the memory maps of earlier players.
  Result<> ensure_slots(int count);
  /// Ends the processes of the trusted baseline and of every leg that make_leg() made.
  void end_lives();
  /// Gives every slot memory that no foreign code has mapped, before new processes begin: what an
  /// earlier process left in an inode or on its pages is gone. Calls end_lives(), because the old
  /// processes map the old memory. Does nothing on a GPU. Costs about 0.1 ms a MiB in huge pages,
  /// 0.6 ms a MiB in small ones, and nothing where the slots are new. After an error there are no
  /// slots.
  Result<> renew_memory();
  /// Frees the slots beyond the first `count`; invalidates players' memory maps as ensure_slots()
  /// does.
  void keep_slots(int count);
  /// Renews, before the next call, whatever a candidate that went wrong may have damaged.
  Result<> repair();
  /// Computes, once, the truth of an input set and the trusted baseline's accuracy on it.
  /// Overwrites slot 0, so it must not be called between a candidate's call and the check of its
  /// outputs.
  Result<> prepare(int set);
  /// Calls prepare() for several benches of one run, with one process of each reference for all of
  /// them: for small workloads a process costs more than everything that it computes.
  static Result<> prepare_together(std::span<Bench* const> benches, int set);
  /// Whether this bench's truths come from the fast reference, which must then be verified before
  /// prepare() is called.
  bool is_fast() const { return is_fast_; }
  /// Compares the fast reference with the known truths of an input set, with one process of the
  /// fast reference for all benches. An error, which names the task, if they differ by more than
  /// float64 rounding. Preconditions: the benches are of one run, prepared, and none is_fast().
  static Result<> verify_fast(std::span<Bench* const> benches, int set);
  /// Largest relative errors over several benches, by tensor and region: what to expect of a
  /// workload on which the trusted baseline cannot be run. Precondition: as for relative_errors().
  static RelativeErrors worst_errors(std::span<Bench* const> benches, int set);
  /// A message, which names the task, if the truth of an input set cannot be believed: a new
  /// process, whose outputs hold other bytes before the call, computes another truth, at once or in
  /// a later call. Then the reference leaves elements unwritten or keeps something from call to
  /// call. Costs up to eight calls of the reference (one, where a call takes seconds), until the
  /// reference was believed once. Precondition: the input set is prepared.
  Result<std::optional<std::string>> doubt(int set);
  /// Relative RMS errors of the trusted baseline on an input set. Precondition: the set is
  /// prepared.
  RelativeErrors relative_errors(int set) const;
  /// Frees what only preparing needs: the processes and buffers of the fast reference.
  void rest();
  /// Calls rest() at the end of an evaluation, unless the fast reference's buffers are small enough
  /// to keep for the next evaluation.
  void rest_if_large();

  // The following functions serve GPUs, where a process lives through many timed calls and each
  // pair has an input set of its own.

  /// Number of an input set that no process has seen and none will see again. The set is drawn when
  /// it is first placed in a slot.
  int fresh_set() { return next_fresh_set_++; }
  /// Whether computing the truth of an input set costs less than starting a new process of a
  /// candidate. Precondition: the set of the checks is prepared.
  bool answers_quickly() const;
  /// Computes the truth of an input set that fresh_set() numbered, just before the set is used. A
  /// verified fast reference is used where there is one: it is then compared once with the host's
  /// truth of this very workload (errors as for verify_fast()), and no slot is touched. Otherwise
  /// the same as prepare().
  Result<> answer(int set);
  /// Whether the memory that answer() works in is allocated; if not, answer() needs about as much
  /// more memory as bytes_to_begin() says.
  bool is_ready_to_answer() const { return series_ != nullptr || !has_trusted_fast(); }
  /// Forgets an input set that fresh_set() numbered; the next such set uses its memory.
  void drop(int set);
  /// To be called once the fast reference has agreed with the host's truths: answer() may then use
  /// it for this workload too.
  void trust_fast() { is_fast_trusted_ = true; }
  /// Where is_fast(), sets the errors to expect of the trusted baseline, which is too slow to be
  /// run.
  void expect(RelativeErrors errors) { expected_ = std::move(errors); }
  bool is_prepared(int set) const { return known_.contains(set); }
  /// Truth and baseline accuracy of an input set. Precondition: the set is prepared.
  const Known& known(int set) const { return known_.at(set); }
  std::vector<int> prepared_sets() const;

  /// Puts an input set into a slot by referee::place(), with a different seed of the poison for
  /// every call.
  Result<> place(int slot, int set, Outputs outputs = Outputs::Poisoned);
  /// Fills the slot with inputs drawn for one call alone, whose truth is never computed.
  Result<> place_unknown(int slot);
  /// Makes caches cold for the tensors of the first `slots` slots.
  Result<> flush(int slots);
  /// Restores the bits that the slot's latest placement wrote, poison included, for a second run on
  /// equal bits.
  Result<> place_again(int slot);
  /// The referee's own buffer of a tensor's size, for snapshots; its content is undefined.
  Result<device::Buffer*> scratch(std::size_t tensor);
  /// Description of a player that maps all slots, with inputs read-only if `read_only_inputs`.
  device::PlayerSpec player_spec(std::string name, JailLevel jail, bool read_only_inputs) const;
  /// A leg that is called at this workload only; `is_followed` as in device::PlayerSpec.
  std::unique_ptr<Leg> make_leg(std::string name, JailLevel jail, bool read_only_inputs,
                                const Program& program, bool is_followed = true);

  device::Device& device() { return device_; }
  const Task& task() const { return task_; }
  const Workload& workload() const { return workload_; }
  Slot& slot(int index) { return slots_.at(static_cast<std::size_t>(index)); }
  int slots() const { return static_cast<int>(slots_.size()); }
  InputPool& pool() { return pool_; }
  Seed seed() const { return seed_; }
  /// Time of the trusted baseline's call; 0: unknown.
  double native_ns() const { return native_ns_; }
  double fast_ns() const { return fast_ns_; }  ///< Time of the fast reference's call; 0: unknown.
  bool runs_plans() const { return row_of(device_.facts().target).launches_by_plan; }
  /// Bytes for one more input set with its truth.
  std::int64_t bytes_per_set() const;
  /// Bytes for the least that a timed workload needs: one slot, three sets, and one truth that is
  /// being computed.
  std::int64_t bytes_to_begin() const;
  /// Whether bytes_to_begin() are free on the device, and on the host too where a truth is computed
  /// there.
  bool fits() const;
  /// Whether this device could hold the workload if nothing else used its memory; costs nothing.
  bool could_fit() const;

  // The members below are kept for later evaluations of the same run. Only the code that measures
  // sets them.

  /// Runs the latest opponent; its processes serve later evaluations against the same opponent.
  std::unique_ptr<Leg> opponent;
  std::optional<NoiseFloor> noise_floor;  ///< Measured once a win depends on it.
  /// Time of an empty call. On cpu: of a player that maps these buffers; on cuda: the smaller of
  /// both legs' Leg::stamps_apart_ns().
  std::optional<double> empty_ns;

 private:
  static Result<> prepare_here(std::span<Bench* const> benches, int set);
  static Result<> prepare_on_host(std::span<Bench* const> benches, int set);
  Result<> prepare_fast(int set);
  /// Says what differs between two truths by more than float64 rounding; nothing if they are equal.
  Result<std::optional<std::string>> difference(const TruthMaker::Truth& other, const Known& known);
  Result<TruthMaker::Truth> lift(TruthMaker::Truth truth);
  Result<> learn_truth(int set, Known& known);
  /// Computes the figures of one tensor's truth, by compared region. `finite` has the tensor's size
  /// and holds finite values only.
  Result<std::vector<RegionTruth>> facts_of(std::size_t index, const Known& known,
                                            device::Buffer& finite);
  Result<> answer_fast(int set);
  bool has_trusted_fast() const;
  /// Enters the expected errors of the trusted baseline, which did not run.
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
  std::shared_ptr<Tenants> tenants_ = std::make_shared<Tenants>();  ///< Legs that make_leg() made.
  std::vector<std::unique_ptr<device::Buffer>> scratch_;
  std::map<int, Known> known_;
  std::unique_ptr<Leg> native_;
  /// True once a process with foreign code may have mapped the slots.
  bool is_memory_used_ = false;
  double native_ns_ = 0;
  double fast_ns_ = 0;
  std::unique_ptr<Bench> twin_;  ///< The bench on the host; null where this device runs references.
  bool is_fast_ = false;
  bool is_believed_ = false;  ///< True once doubt() found nothing wrong.
  bool is_fast_trusted_ = false;
  /// True once the fast reference was compared with the host's truth of this workload.
  bool is_fast_compared_ = false;
  int next_fresh_set_ = 1000;  ///< Starts above the numbers of all sets that are kept.
  std::vector<TruthMaker::Truth> spare_truths_;
  RelativeErrors expected_;
  /// The fast reference's process and buffers, kept from one input set to the next.
  std::unique_ptr<TruthSeries> series_;
  std::uint64_t calls_placed_ = 0;
};

}  // namespace kw::referee
