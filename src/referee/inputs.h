// Input sets in the referee's own memory, and how they get into the buffers that players map.
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

class CodedInputs;

/// Buffers of one workload, one per tensor; null where the owner does not need one.
using Buffers = std::vector<std::unique_ptr<device::Buffer>>;

/// Whether the tensor's content before a call is drawn at random (else it is zeros or poison).
bool is_drawn(const Tensor& tensor);
bool is_written(const Tensor& tensor);
/// Whether there is padding between the tensor's rows.
bool has_padding(const Tensor& tensor);
/// The tensor with zeros as its values.
Tensor zeroed(Tensor tensor);

/// Buffers that players map, and what the referee last put there.
struct Slot {
  Buffers buffers;
  int set = -1;                 ///< Input set that the read-only inputs hold; -1: none.
  std::uint64_t call_seed = 0;  ///< Seed of the poison at the latest placement.
};

Result<Slot> allocate_slot(device::Device& device, const Workload& workload,
                           const std::string& name);

/// Copies a buffer, through the worker's memory, to one of equal size, which may be on another
/// device.
Result<> carry(device::Buffer& to, const device::Buffer& from);

/// Input sets of one workload; set i is drawn from seed/i when first asked for, and then kept.
/// Seeds differ, so no two sets agree except where the distribution leaves no choice.
class InputPool {
 public:
  /// `coded` computes the inputs that the task's own code fills; borrowed.
  InputPool(device::Device& device, const Workload& workload, Seed seed, CodedInputs& coded);

  /// Buffers by tensor; null where nothing is drawn. They stay valid while the pool lives.
  Result<const Buffers*> set(int index);
  /// Makes set `index` a copy of the set that another device holds in `from`.
  Result<const Buffers*> adopt(int index, const Buffers& from);
  /// Frees the set's memory; set() draws the set again when it is asked for.
  void drop(int index) { sets_.erase(index); }
  /// Forgets the set, but keeps its memory for the next set that is drawn.
  void recycle(int index);
  /// Frees the memory that recycle() kept.
  void trim() { spare_.clear(); }
  /// Draws the input set again from its seed into `to`, tensor by tensor (admission changes such
  /// copies).
  Result<> draw(int index, Buffers& to);
  Seed seed() const { return seed_; }

 private:
  Result<Buffers> allocate() const;

  device::Device& device_;
  const Workload& workload_;
  Seed seed_;
  CodedInputs& coded_;
  std::map<int, Buffers> sets_;
  std::vector<Buffers> spare_;
};

/// What an output without declared initial content holds before a call: random bytes, or what the
/// latest call left there.
enum class Outputs { Poisoned, AsLeft };

/// Makes the slot ready for a call: inputs of the set, initial values of inout tensors, zeros or
/// fresh random bytes in out tensors and row padding. Addresses never change.
Result<> place(device::BufferOps& ops, const Workload& workload, const Buffers& set, int set_index,
               std::uint64_t call_seed, Slot& slot, Outputs outputs = Outputs::Poisoned);

/// Fills the slot with values drawn by `seed`, for a call whose right answer is never computed. The
/// values have nothing in common with earlier ones: a process that met the greatest element or the
/// sum of an earlier call again could tell what the call is for. Afterwards the slot holds no input
/// set.
Result<> place_unknown(device::BufferOps& ops, CodedInputs& coded, const Workload& workload,
                       Seed seed, std::uint64_t call_seed, Slot& slot);

/// Writes to `to` (of the same size) what tensor `index` held right after place().
Result<> recreate(device::BufferOps& ops, const Workload& workload, const Buffers& set,
                  const Slot& slot, std::size_t index, device::Buffer& to);

}  // namespace kw::referee
