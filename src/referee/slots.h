// The buffers of one workload that players map, and the processes that map them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "referee/bench_site.h"
#include "referee/inputs.h"
#include "referee/leg.h"
#include "referee/program.h"

namespace kw::referee {

/// Slots: buffers for distinct argument sets of one workload. Knows which processes map them, and
/// ends those before the buffers get other memory.
class Slots {
 public:
  /// `site` is borrowed.
  explicit Slots(BenchSite& site) : site_(site) {}

  /// Makes sure that there are `count` slots. Growing invalidates the memory maps of earlier
  /// players.
  Result<> ensure(int count);
  /// Frees the slots beyond the first `count`; invalidates players' memory maps as ensure() does.
  void keep(int count);
  int count() const { return static_cast<int>(slots_.size()); }
  Slot& operator[](int index) { return slots_.at(static_cast<std::size_t>(index)); }

  /// Ends the processes of the trusted baseline and of every leg that make_leg() made.
  void end_lives();
  /// Gives every slot memory that no foreign code has mapped, before new processes begin: what an
  /// earlier process left in an inode or on its pages is gone. Calls end_lives(), because the old
  /// processes map the old memory. Does nothing on a GPU. Costs about 0.1 ms a MiB in huge pages,
  /// 0.6 ms a MiB in small ones, and nothing where the slots are new. After an error there are no
  /// slots.
  Result<> renew_memory();
  /// Renews, before the next call, whatever a candidate that went wrong may have damaged.
  Result<> repair();

  /// Puts an input set into a slot by referee::place(), with a different seed of the poison for
  /// every call.
  Result<> place(int slot, int set, Outputs outputs = Outputs::Poisoned);
  /// Fills the slot with inputs drawn for one call alone, whose truth is never computed.
  Result<> place_unknown(int slot);
  /// Restores the bits that the slot's latest placement wrote, poison included, for a second run on
  /// equal bits.
  Result<> place_again(int slot);
  /// Makes caches cold for the tensors of the first `slots` slots.
  Result<> flush(int slots);

  /// Description of a player that maps all slots, with inputs read-only if `read_only_inputs`.
  device::PlayerSpec player_spec(std::string name, JailLevel jail, bool read_only_inputs) const;
  /// A leg that is called at this workload only; `is_followed` as in device::PlayerSpec.
  std::unique_ptr<Leg> make_leg(std::string name, JailLevel jail, bool read_only_inputs,
                                const Program& program, bool is_followed = true);

 private:
  void forget_maps();

  BenchSite& site_;
  std::vector<Slot> slots_;
  std::shared_ptr<Tenants> tenants_ = std::make_shared<Tenants>();  ///< Legs that make_leg() made.
  /// True once a process with foreign code may have mapped the slots.
  bool is_memory_used_ = false;
  std::uint64_t calls_placed_ = 0;

 public:
  // What holds only while the slots stay what they are: ensure() and keep() drop it when they
  // change them. It is declared behind the slots, so processes end before the memory that they map.

  std::unique_ptr<Leg> native;  ///< Runs the trusted baseline.
  /// Runs the latest opponent; its processes serve later evaluations against the same opponent.
  std::unique_ptr<Leg> opponent;
  /// Time of an empty call. On cpu: of a player that maps these buffers; on cuda: the smaller of
  /// both legs' Leg::stamps_apart_ns().
  std::optional<double> empty_ns;
};

}  // namespace kw::referee
