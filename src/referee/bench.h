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
  const BuildUnit* native = nullptr;  ///< reference_native; null for tasks without a second gate.
};

/// One workload. Holds references to `task` and `workload`, which must outlive it.
class Bench {
 public:
  Bench(device::Device& device, const Task& task, const Workload& workload, Seed seed,
        Trusted trusted);

  /// Buffers for `count` distinct argument sets; growing ends the use of earlier players' maps.
  Result<> ensure_slots(int count);
  /// After a candidate went wrong: whatever it may have damaged is renewed before the next call.
  Result<> repair();
  /// Computes what is known of a set, once. Uses slot 0: never between a call and its check.
  Result<> prepare(int set);
  /// The same for several benches of one run, with one process of each reference for all of them:
  /// for small workloads a process costs more than everything it computes.
  static Result<> prepare_together(std::span<Bench* const> benches, int set);
  bool is_prepared(int set) const { return known_.contains(set); }
  /// Precondition: prepared.
  const Known& known(int set) const { return known_.at(set); }
  std::vector<int> prepared_sets() const;

  /// place() with a seed of its own for every call.
  Result<> place(int slot, int set);
  /// Makes caches cold for the tensors of the first `slots` slots.
  Result<> flush(int slots);
  /// The same placement as the latest in this slot, poison included: for a second run on equal
  /// bits.
  Result<> place_again(int slot);
  /// The referee's own copy of a tensor's size, for snapshots; its content is anybody's.
  Result<device::Buffer*> scratch(std::size_t tensor);
  /// What a player for all slots maps; `read_only_inputs` as the referee wants them.
  device::PlayerSpec player_spec(std::string name, JailLevel jail, bool read_only_inputs) const;
  std::vector<std::vector<device::Argument>> arguments(int slots) const;

  device::Device& device() { return device_; }
  const Task& task() const { return task_; }
  const Workload& workload() const { return workload_; }
  Slot& slot(int index) { return slots_.at(static_cast<std::size_t>(index)); }
  int slots() const { return static_cast<int>(slots_.size()); }
  InputPool& pool() { return pool_; }
  Seed seed() const { return seed_; }
  double native_ns() const { return native_ns_; }  ///< Time of the trusted baseline; 0: unknown.
  /// Bytes for one more input set with its truth.
  std::int64_t bytes_per_set() const;
  /// Bytes for the least that a timed workload needs: one slot, three sets, one truth in the
  /// making.
  std::int64_t bytes_to_begin() const;

  // Kept for later evaluations of the same run; the measuring code owns their meaning.
  std::unique_ptr<Leg> opponent;      ///< Warm, for `opponent->object()`.
  std::optional<double> noise_floor;  ///< A/A, a ratio; measured once a win depends on it.
  std::optional<double> empty_ns;     ///< Of a player that maps these buffers.

 private:
  Result<> learn_truth(int set, Known& known);
  Result<std::vector<RegionTruth>> facts_of(std::size_t index, const Known& known);
  device::PlayerSpec native_spec() const {
    return player_spec("reference", trusted_.maker.jail, false);
  }
  Result<std::unique_ptr<Leg>> start_native(device::PlayerSpec spec) const;
  Result<> learn_native(Leg& leg, int first_buffer, Known& known);
  static Result<> learn_native_together(std::span<Bench* const> benches, std::span<Known> known);

  device::Device& device_;
  const Task& task_;
  const Workload& workload_;
  Seed seed_;
  Trusted trusted_;
  InputPool pool_;
  std::vector<Slot> slots_;
  std::vector<std::unique_ptr<device::Buffer>> scratch_;
  std::map<int, Known> known_;
  std::unique_ptr<Leg> native_;
  double native_ns_ = 0;
  std::uint64_t calls_placed_ = 0;
};

}  // namespace kw::referee
