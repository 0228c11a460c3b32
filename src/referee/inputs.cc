// Draws the inputs of calls, puts them into the buffers of a call, and recreates them.
// SPDX-License-Identifier: Apache-2.0
#include "referee/inputs.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/defence.h"
#include "record/coded_inputs.h"
#include "referee/coded_inputs.h"

namespace kw::referee {
namespace {

std::uint64_t poison_seed(const Slot& slot, std::size_t tensor) {
  return Seed::from_number(slot.call_seed).child(tensor).low;
}

// Fills in content that is not drawn at random: zeros or poison.
Result<> make_initial(device::BufferOps& ops, const Tensor& tensor, std::uint64_t seed,
                      device::Buffer& to) {
  if (tensor.initial == Initial::Zero) return ops.fill(to, zeroed(tensor), seed);
  if (!is_on(Defence::OutputsPoisoned)) return {};
  return ops.poison(to, seed);
}

// Draws the values of an input, by a seed of its own; what the task's code computes is zero until
// CodedInputs::fill().
Result<> fill(device::BufferOps& ops, device::Buffer& to, const Tensor& tensor, const Seed& seed) {
  const std::uint64_t own = seed.child(tensor.name).low;
  return is_coded(tensor) ? ops.fill(to, zeroed(tensor), own) : ops.fill(to, tensor, own);
}

}  // namespace

bool is_drawn(const Tensor& tensor) {
  return tensor.role == TensorRole::In ||
         (tensor.role == TensorRole::InOut && tensor.initial == Initial::Values);
}

bool is_written(const Tensor& tensor) { return tensor.role != TensorRole::In; }

bool has_padding(const Tensor& tensor) {
  return !tensor.sizes.empty() && tensor.pitch > tensor.sizes.back() && tensor.rows() > 1;
}

Tensor zeroed(Tensor tensor) {
  tensor.values = Values{};
  tensor.values.kind = "zero";
  return tensor;
}

Result<Slot> allocate_slot(device::Device& device, const Workload& workload,
                           const std::string& name) {
  Slot slot;
  for (const Tensor& tensor : workload.tensors)
    slot.buffers.push_back(KW_TRY(device.allocate({.name = name + "." + tensor.name,
                                                   .bytes = tensor.bytes(),
                                                   .alignment = tensor.alignment,
                                                   .shared = true})));
  return slot;
}

Result<> carry(device::Buffer& to, const device::Buffer& from) {
  constexpr std::int64_t kChunk = 16 << 20;
  KW_ASSERT(to.bytes() == from.bytes());
  std::vector<std::byte> chunk(static_cast<std::size_t>(std::min(kChunk, from.bytes())));
  for (std::int64_t at = 0; at < from.bytes(); at += kChunk) {
    const auto part =
        std::span(chunk).first(static_cast<std::size_t>(std::min(kChunk, from.bytes() - at)));
    KW_TRY(from.read(at, part));
    KW_TRY(to.write(at, part));
  }
  return {};
}

InputPool::InputPool(device::Device& device, const Workload& workload, Seed seed,
                     CodedInputs& coded)
    : device_(device), workload_(workload), seed_(seed), coded_(coded) {}

Result<> InputPool::draw(int index, Buffers& to) {
  const Seed seed = seed_.child(static_cast<std::uint64_t>(index));
  for (std::size_t i = 0; i < workload_.tensors.size(); ++i)
    if (to[i]) KW_TRY(fill(device_.ops(), *to[i], workload_.tensors[i], seed));
  return coded_.fill(to, seed.child(kCodedKind));
}

Result<Buffers> InputPool::allocate() const {
  Buffers buffers;
  for (const Tensor& tensor : workload_.tensors)
    buffers.push_back(is_drawn(tensor) ? KW_TRY(device_.allocate({.name = "pool." + tensor.name,
                                                                  .bytes = tensor.bytes(),
                                                                  .alignment = tensor.alignment,
                                                                  .shared = false}))
                                       : nullptr);
  return buffers;
}

Result<const Buffers*> InputPool::adopt(int index, const Buffers& from) {
  Buffers buffers = KW_TRY(allocate());
  for (std::size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i]) KW_TRY(carry(*buffers[i], *from[i]));
  return &sets_.insert_or_assign(index, std::move(buffers)).first->second;
}

void InputPool::recycle(int index) {
  auto node = sets_.extract(index);
  if (!node.empty()) spare_.push_back(std::move(node.mapped()));
}

Result<const Buffers*> InputPool::set(int index) {
  if (const auto found = sets_.find(index); found != sets_.end()) return &found->second;
  Buffers buffers;
  if (spare_.empty()) {
    buffers = KW_TRY(allocate());
  } else {
    buffers = std::move(spare_.back());
    spare_.pop_back();
  }
  KW_TRY(draw(index, buffers));
  return &sets_.emplace(index, std::move(buffers)).first->second;
}

Result<> place(device::BufferOps& ops, const Workload& workload, const Buffers& set, int set_index,
               std::uint64_t call_seed, Slot& slot, Outputs outputs) {
  slot.call_seed = call_seed;
  for (std::size_t i = 0; i < workload.tensors.size(); ++i) {
    const Tensor& tensor = workload.tensors[i];
    if (!is_written(tensor) && slot.set == set_index) continue;
    if (is_drawn(tensor))
      KW_TRY(ops.copy(*slot.buffers[i], *set[i]));
    else if (outputs == Outputs::Poisoned || tensor.initial == Initial::Zero)
      KW_TRY(make_initial(ops, tensor, poison_seed(slot, i), *slot.buffers[i]));
  }
  slot.set = set_index;
  return {};
}

Result<> place_unknown(device::BufferOps& ops, CodedInputs& coded, const Workload& workload,
                       Seed seed, std::uint64_t call_seed, Slot& slot) {
  slot.call_seed = call_seed;
  slot.set = -1;
  for (std::size_t i = 0; i < workload.tensors.size(); ++i) {
    const Tensor& tensor = workload.tensors[i];
    KW_TRY(is_drawn(tensor) ? fill(ops, *slot.buffers[i], tensor, seed)
                            : make_initial(ops, tensor, poison_seed(slot, i), *slot.buffers[i]));
  }
  return coded.fill(slot.buffers, seed.child(kCodedKind));
}

Result<> recreate(device::BufferOps& ops, const Workload& workload, const Buffers& set,
                  const Slot& slot, std::size_t index, device::Buffer& to) {
  const Tensor& tensor = workload.tensors[index];
  if (is_drawn(tensor)) return ops.copy(to, *set[index]);
  return make_initial(ops, tensor, poison_seed(slot, index), to);
}

}  // namespace kw::referee
