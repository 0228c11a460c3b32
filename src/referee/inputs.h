// Input sets in memory of the referee's own, and their way into the buffers that players map.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "device/device.h"
#include "record/task.h"

namespace kw::referee {

/// Buffers of one workload, one per tensor; null where the owner has no use for one.
using Buffers = std::vector<std::unique_ptr<device::Buffer>>;

/// Whether the tensor's content before a call is drawn (else zeros or poison).
bool is_drawn(const Tensor& tensor);
bool is_written(const Tensor& tensor);
/// Rows of it have padding between them.
bool has_padding(const Tensor& tensor);
/// The same tensor filled with zeros instead of its values.
Tensor zeroed(Tensor tensor);

/// Buffers that players map, with what the referee last put there.
struct Slot {
  Buffers buffers;
  int set = -1;                 ///< Input set that the read-only inputs hold; -1: none.
  std::uint64_t call_seed = 0;  ///< Of the poison of the latest placement.
};

Result<Slot> allocate_slot(device::Device& device, const Workload& workload,
                           const std::string& name);

/// Copies a buffer to one of equal size, on another device too, through the worker's memory.
Result<> carry(device::Buffer& to, const device::Buffer& from);

/// Input sets of one workload; set i is drawn from seed/i when first asked for and then kept.
/// Distinct seeds, so no two sets agree except where the distribution leaves no choice.
class InputPool {
 public:
  InputPool(device::Device& device, const Workload& workload, Seed seed);

  /// By tensor; null where nothing is drawn. Stays valid while the pool lives.
  Result<const Buffers*> set(int index);
  /// Set `index` as another device holds it, read from there.
  Result<const Buffers*> adopt(int index, const Buffers& from);
  /// Gives the set's memory back; asked for again, it is drawn again.
  void drop(int index) { sets_.erase(index); }
  /// Keeps the set's memory for the next set that is drawn.
  void recycle(int index);
  /// Gives back what recycle() kept.
  void trim() { spare_.clear(); }
  /// The set again from its seed into `to`, tensor by tensor (admission mutates it).
  Result<> draw(int index, Buffers& to);
  Seed seed() const { return seed_; }

 private:
  Result<Buffers> allocate() const;

  device::Device& device_;
  const Workload& workload_;
  Seed seed_;
  std::map<int, Buffers> sets_;
  std::vector<Buffers> spare_;
};

/// What a call finds where it writes and nothing else is declared: random bytes, or what is there.
enum class Outputs { Poisoned, AsLeft };

/// Makes the slot ready for a call: inputs of the set, initial values of inout tensors, zeros or
/// fresh random bytes in out tensors and row padding. Always the same addresses.
Result<> place(device::BufferOps& ops, const Workload& workload, const Buffers& set, int set_index,
               std::uint64_t call_seed, Slot& slot, Outputs outputs = Outputs::Poisoned);

/// The same with values drawn by `seed` straight into the slot, of which nobody knows the answer.
/// They share nothing with what a process has seen before: a process that found the greatest
/// element or the sum of an earlier call again would know what kind of call this is. The slot then
/// holds no set.
Result<> place_unknown(device::BufferOps& ops, const Workload& workload, Seed seed,
                       std::uint64_t call_seed, Slot& slot);

/// What tensor `index` held right after place(), written to `to` (same size).
Result<> recreate(device::BufferOps& ops, const Workload& workload, const Buffers& set,
                  const Slot& slot, std::size_t index, device::Buffer& to);

}  // namespace kw::referee
