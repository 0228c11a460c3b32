// Allocates and renews the buffers that players map, and fills them before calls.
// SPDX-License-Identifier: Apache-2.0
#include "referee/slots.h"

#include <fmt/format.h>

#include <utility>

#include "base/defence.h"

namespace kw::referee {

void Slots::forget_maps() {
  native.reset();
  opponent.reset();
  empty_ns.reset();
}

Result<> Slots::ensure(int wanted) {
  if (count() >= wanted) return {};
  while (count() < wanted)
    slots_.push_back(KW_TRY(allocate_slot(
        site_.device, site_.workload, fmt::format("{}#{}", site_.workload.name, slots_.size()))));
  forget_maps();
  is_memory_used_ = false;
  return {};
}

void Slots::keep(int wanted) {
  if (count() <= wanted) return;
  forget_maps();
  slots_.resize(static_cast<std::size_t>(wanted));
}

void Slots::end_lives() {
  native.reset();
  for (Leg* leg : *tenants_) leg->end();
}

Result<> Slots::renew_memory() {
  if (site_.runs_plans() || !std::exchange(is_memory_used_, true) || !is_on(Defence::MemoryOfALife))
    return {};
  end_lives();
  for (Slot& slot : slots_) {
    slot.set = -1;
    for (const auto& buffer : slot.buffers) {
      Result<> renewed = buffer->renew();
      if (renewed) continue;
      slots_.clear();
      return renewed;
    }
  }
  return {};
}

Result<> Slots::repair() {
  bool damaged = false;
  for (Slot& slot : slots_) {
    slot.set = -1;
    for (const auto& buffer : slot.buffers)
      damaged = damaged || !KW_TRY(site_.device.ops().check_guards(*buffer)).empty();
  }
  if (!damaged) return {};
  // Canaries cannot be armed again, so the buffers are replaced, which ends the players that map
  // them.
  const int wanted = count();
  slots_.clear();
  return ensure(wanted);
}

Result<> Slots::place(int slot, int set, Outputs outputs) {
  const Buffers* values = KW_TRY(site_.pool.set(set));
  const std::uint64_t call_seed = site_.seed.child("calls").child(++calls_placed_).low;
  return referee::place(site_.device.ops(), site_.workload, *values, set, call_seed, (*this)[slot],
                        outputs);
}

Result<> Slots::place_unknown(int slot) {
  const Seed call = site_.seed.child("unknown").child(++calls_placed_);
  return referee::place_unknown(site_.device.ops(), site_.coded, site_.workload,
                                call.child("inputs"), call.low, (*this)[slot]);
}

Result<> Slots::place_again(int slot) {
  Slot& again = (*this)[slot];
  const Buffers* values = KW_TRY(site_.pool.set(again.set));
  return referee::place(site_.device.ops(), site_.workload, *values, again.set, again.call_seed,
                        again);
}

Result<> Slots::flush(int slots) {
  std::vector<device::Buffer*> buffers;
  for (int s = 0; s < slots; ++s)
    for (const auto& buffer : (*this)[s].buffers) buffers.push_back(buffer.get());
  return site_.device.flush(buffers);
}

device::PlayerSpec Slots::player_spec(std::string name, JailLevel jail,
                                      bool read_only_inputs) const {
  device::PlayerSpec spec{.name = std::move(name),
                          .jail = jail,
                          .memory_bytes = site_.task.restrictions.workspace_bytes,
                          .buffers = {},
                          .writable = {}};
  for (const Slot& slot : slots_)
    for (std::size_t i = 0; i < slot.buffers.size(); ++i) {
      spec.buffers.push_back(slot.buffers[i].get());
      spec.writable.push_back(!read_only_inputs || is_written(site_.workload.tensors[i]));
    }
  return spec;
}

std::unique_ptr<Leg> Slots::make_leg(std::string name, JailLevel jail, bool read_only_inputs,
                                     const Program& program, bool is_followed) {
  const Seed seed = site_.seed.child("workspaces").child(name);
  device::PlayerSpec spec = player_spec(std::move(name), jail, read_only_inputs);
  spec.is_followed = is_followed;
  auto leg = std::make_unique<Leg>(site_.device, site_.task, std::move(spec), program,
                                   std::vector<Stand>{{.workload = &site_.workload}}, seed);
  leg->join(tenants_);
  return leg;
}

}  // namespace kw::referee
