// Prepares a workload for judging: buffers, the reference's results, and the trusted baseline's
// errors on the same inputs.
// SPDX-License-Identifier: Apache-2.0
#include "referee/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/defence.h"
#include "referee/fate.h"

namespace kw::referee {
namespace {

// Operations and bytes that one core of a host is assumed to process in a nanosecond: references
// are plain loops.
constexpr double kHostPerNs = 1;
constexpr double kMostHostNs = 1e9;

// Whether the host's reference is quick enough for this workload.
bool is_for_host(const Workload& workload) {
  const Work& work = workload.work;
  const auto amount = static_cast<double>(work.flops) + static_cast<double>(work.read_bytes) +
                      static_cast<double>(work.write_bytes);
  return amount / kHostPerNs <= kMostHostNs;
}

}  // namespace

Bench::Bench(device::Device& device, const Task& task, const Workload& workload, Seed seed,
             Trusted trusted)
    : device_(device),
      task_(task),
      workload_(workload),
      seed_(seed),
      trusted_(trusted),
      pool_(device, workload, seed.child("inputs")),
      scratch_(workload.tensors.size()),
      is_fast_(trusted.fast.reference != nullptr && !is_for_host(workload)) {
  if (trusted.maker.device == &device || is_fast_) return;
  trusted.fast = {};
  twin_ = std::make_unique<Bench>(*trusted.maker.device, task, workload, seed, trusted);
}

std::unique_ptr<Bench> Bench::sibling(const Workload& workload, Seed seed) const {
  auto other = std::make_unique<Bench>(device_, task_, workload, seed, trusted_);
  other->expected_ = expected_;
  other->is_fast_trusted_ = is_fast_trusted_;
  other->is_believed_ = is_believed_;
  return other;
}

std::int64_t Bench::bytes_per_set() const {
  std::int64_t bytes = 0;
  for (const Tensor& tensor : workload_.tensors) {
    if (is_drawn(tensor)) bytes += tensor.bytes();
    if (!tensor.compared.empty())
      bytes += widened(tensor).bytes() * (task_.gate.kind == GateKind::Dot ? 2 : 1);
  }
  return bytes;
}

std::int64_t Bench::bytes_to_begin() const {
  std::int64_t wide = 0;
  for (const Tensor& tensor : workload_.tensors) wide += widened(tensor).bytes();
  return 2 * workload_.bytes() + 3 * bytes_per_set() + wide;
}

bool Bench::fits() const {
  if (is_prepared(kWarmSet)) return true;
  return bytes_to_begin() <= device_.free_bytes() && (!twin_ || twin_->fits());
}

bool Bench::could_fit() const {
  // A 32nd of the memory counts as taken: drivers, contexts and the device's margin take some 2 GiB
  // of 80.
  const std::int64_t memory = device_.facts().memory_bytes;
  return memory <= 0 || bytes_to_begin() <= memory - memory / 32;
}

std::vector<int> Bench::prepared_sets() const {
  std::vector<int> sets;
  for (const auto& [set, known] : known_) sets.push_back(set);
  return sets;
}

Result<> Bench::ensure_slots(int count) {
  if (slots() >= count) return {};
  while (slots() < count)
    slots_.push_back(KW_TRY(
        allocate_slot(device_, workload_, fmt::format("{}#{}", workload_.name, slots_.size()))));
  native_.reset();
  opponent.reset();
  empty_ns.reset();
  is_memory_used_ = false;
  return {};
}

void Bench::end_lives() {
  native_.reset();
  for (Leg* leg : *tenants_) leg->end();
}

Result<> Bench::renew_memory() {
  if (runs_plans() || !std::exchange(is_memory_used_, true) || !is_on(Defence::MemoryOfALife))
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

void Bench::keep_slots(int count) {
  if (slots() <= count) return;
  native_.reset();
  opponent.reset();
  empty_ns.reset();
  slots_.resize(static_cast<std::size_t>(count));
}

Result<> Bench::repair() {
  bool damaged = false;
  for (Slot& slot : slots_) {
    slot.set = -1;
    for (const auto& buffer : slot.buffers)
      damaged = damaged || !KW_TRY(device_.ops().check_guards(*buffer)).empty();
  }
  if (!damaged) return {};
  // Canaries cannot be armed again, so the buffers are replaced, which ends the players that map
  // them.
  const int count = slots();
  slots_.clear();
  return ensure_slots(count);
}

Result<> Bench::place(int slot_index, int set, Outputs outputs) {
  const Buffers* values = KW_TRY(pool_.set(set));
  const std::uint64_t call_seed = seed_.child("calls").child(++calls_placed_).low;
  return referee::place(device_.ops(), workload_, *values, set, call_seed, slot(slot_index),
                        outputs);
}

Result<> Bench::place_unknown(int slot_index) {
  const Seed call = seed_.child("unknown").child(++calls_placed_);
  return referee::place_unknown(device_.ops(), workload_, call.child("inputs"), call.low,
                                slot(slot_index));
}

Result<> Bench::flush(int slots) {
  std::vector<device::Buffer*> buffers;
  for (int s = 0; s < slots; ++s)
    for (const auto& buffer : slot(s).buffers) buffers.push_back(buffer.get());
  return device_.flush(buffers);
}

Result<> Bench::place_again(int slot_index) {
  Slot& again = slot(slot_index);
  const Buffers* values = KW_TRY(pool_.set(again.set));
  return referee::place(device_.ops(), workload_, *values, again.set, again.call_seed, again);
}

Result<device::Buffer*> Bench::scratch(std::size_t tensor) {
  auto& buffer = scratch_[tensor];
  if (!buffer)
    buffer = KW_TRY(device_.allocate({.name = "scratch." + workload_.tensors[tensor].name,
                                      .bytes = workload_.tensors[tensor].bytes(),
                                      .alignment = workload_.tensors[tensor].alignment,
                                      .shared = false}));
  return buffer.get();
}

device::PlayerSpec Bench::player_spec(std::string name, JailLevel jail,
                                      bool read_only_inputs) const {
  device::PlayerSpec spec{.name = std::move(name),
                          .jail = jail,
                          .memory_bytes = task_.restrictions.workspace_bytes,
                          .buffers = {},
                          .writable = {}};
  for (const Slot& slot : slots_)
    for (std::size_t i = 0; i < slot.buffers.size(); ++i) {
      spec.buffers.push_back(slot.buffers[i].get());
      spec.writable.push_back(!read_only_inputs || is_written(workload_.tensors[i]));
    }
  return spec;
}

std::unique_ptr<Leg> Bench::make_leg(std::string name, JailLevel jail, bool read_only_inputs,
                                     const Program& program, bool is_followed) {
  const Seed seed = seed_.child("workspaces").child(name);
  device::PlayerSpec spec = player_spec(std::move(name), jail, read_only_inputs);
  spec.is_followed = is_followed;
  auto leg = std::make_unique<Leg>(device_, task_, std::move(spec), program,
                                   std::vector<Stand>{{.workload = &workload_}}, seed);
  leg->join(tenants_);
  return leg;
}

Result<> Bench::prepare(int set) {
  Bench* const self = this;
  return prepare_together(std::span(&self, 1), set);
}

Result<> Bench::prepare_together(std::span<Bench* const> benches, int set) {
  std::vector<Bench*> here;
  std::vector<Bench*> on_host;
  for (Bench* bench : benches) {
    if (bench->is_prepared(set)) continue;
    if (bench->is_fast())
      KW_TRY(bench->prepare_fast(set));
    else
      (bench->twin_ ? on_host : here).push_back(bench);
  }
  if (!on_host.empty()) KW_TRY(prepare_on_host(on_host, set));
  if (!here.empty()) KW_TRY(prepare_here(here, set));
  return {};
}

Result<> Bench::prepare_here(std::span<Bench* const> benches, int set) {
  std::vector<TruthMaker::Job> jobs;
  for (Bench* bench : benches) jobs.push_back({&bench->workload_, KW_TRY(bench->pool_.set(set))});
  const Trusted& trusted = benches.front()->trusted_;
  auto truths = KW_TRY(trusted.maker.compute(jobs));
  std::vector<Known> known(benches.size());
  for (std::size_t i = 0; i < benches.size(); ++i) {
    known[i].truth = std::move(truths[i]);
    KW_TRY(benches[i]->learn_truth(set, known[i]));
  }
  if (trusted.native != nullptr && benches.size() == 1) {
    Bench& alone = *benches.front();
    if (!alone.native_)
      alone.native_ =
          KW_TRY(alone.start_native(alone.native_spec(), {{.workload = &alone.workload_}}));
    KW_TRY(alone.learn_native(*alone.native_, known.front()));
  } else if (trusted.native != nullptr) {
    KW_TRY(learn_native_together(benches, known));
  }
  for (std::size_t i = 0; i < benches.size(); ++i)
    benches[i]->known_.emplace(set, std::move(known[i]));
  return {};
}

// Computes the figures of the reference's result that the gates use, before any native code has
// run. `finite` holds finite values only, so any value that is not finite belongs to the
// reference's result.
Result<std::vector<RegionTruth>> Bench::facts_of(std::size_t index, const Known& known,
                                                 device::Buffer& finite) {
  const Tensor& tensor = workload_.tensors[index];
  // The allowance passes every finite value, because a comparison looks at each failed element once
  // more, which is slow.
  const device::Allowance any{.exact = !is_real(tensor.dtype),
                              .absolute = std::numeric_limits<double>::max()};
  std::vector<RegionTruth> facts;
  for (const Region& region : tensor.compared) {
    const auto against = [&](const device::Buffer& truth) {
      return device_.ops().compare(finite, truth, nullptr, tensor, region, any, {});
    };
    const auto seen = KW_TRY(against(*known.truth.values[index]));
    std::int64_t unusable = seen.nonfinite_failed;
    if (!known.truth.magnitudes.empty())
      unusable += KW_TRY(against(*known.truth.magnitudes[index])).nonfinite_failed;
    if (unusable > 0)
      return fail_input(
          fmt::format("the reference of task '{}' gives {} values that are not finite in "
                      "tensor '{}' of workload '{}'; the task is at fault",
                      task_.name, unusable, tensor.name, workload_.name));
    facts.push_back({.count = seen.compared,
                     .max_abs = seen.max_abs_truth,
                     .sum = seen.sum_want,
                     .sum_sq = seen.sum_sq_truth,
                     .baseline_rms = std::nullopt});
    RegionTruth& known_region = facts.back();
    if (is_half(tensor.dtype) && known_region.count > 0)
      known_region.baseline_rms = rounding_rms(tensor.dtype, known_region);
  }
  return facts;
}

Result<> Bench::learn_truth(int set, Known& known) {
  KW_TRY(ensure_slots(1));
  KW_TRY(place(0, set));
  for (std::size_t i = 0; i < workload_.tensors.size(); ++i)
    known.regions.push_back(KW_TRY(facts_of(i, known, *slots_[0].buffers[i])));
  return {};
}

Result<std::unique_ptr<Leg>> Bench::start_native(device::PlayerSpec spec,
                                                 const std::vector<Stand>& stands) const {
  auto leg = std::make_unique<Leg>(device_, task_, std::move(spec), *trusted_.native, stands,
                                   seed_.child("native"));
  if (const auto refused = KW_TRY(leg->renew()))
    return fail_input(
        fmt::format("the reference of task '{}', compiled for the task's type, fails: {}",
                    task_.name, refused->evidence));
  return leg;
}

Result<> Bench::learn_native_together(std::span<Bench* const> benches, std::span<Known> known) {
  device::PlayerSpec spec = benches.front()->native_spec();
  spec.buffers.clear(), spec.writable.clear();
  std::vector<Stand> stands;
  for (const Bench* bench : benches) {
    stands.push_back({&bench->workload_, static_cast<int>(spec.buffers.size())});
    const device::PlayerSpec part = bench->native_spec();
    spec.buffers.insert(spec.buffers.end(), part.buffers.begin(), part.buffers.end());
    spec.writable.insert(spec.writable.end(), part.writable.begin(), part.writable.end());
  }
  const auto leg = KW_TRY(benches.front()->start_native(std::move(spec), stands));
  for (std::size_t i = 0; i < benches.size(); ++i) KW_TRY(benches[i]->learn_native(*leg, known[i]));
  return {};
}

// Measures the errors of the trusted baseline, which the second gate needs, and its time.
// Precondition: slot 0 of this bench holds the baseline's inputs.
Result<> Bench::learn_native(Leg& leg, Known& known) {
  KW_TRY(leg.make_ready(workload_));
  const auto call = KW_TRY(trusted_.maker.call(leg, workload_));
  native_ns_ = native_ns_ > 0 ? std::min(native_ns_, call.elapsed_ns) : call.elapsed_ns;
  for (std::size_t i = 0; i < workload_.tensors.size(); ++i) {
    const Tensor& tensor = workload_.tensors[i];
    const device::Buffer* magnitude =
        known.truth.magnitudes.empty() ? nullptr : known.truth.magnitudes[i].get();
    for (std::size_t r = 0; r < tensor.compared.size(); ++r) {
      RegionTruth& facts = known.regions[i][r];
      const auto seen = KW_TRY(device_.ops().compare(
          *slots_[0].buffers[i], *known.truth.values[i], magnitude, tensor, tensor.compared[r],
          allowance_of(task_.gate, tensor, workload_, facts.max_abs), {}));
      if (auto failure = judge_region(task_.gate, tensor, facts, seen, true, known.baseline))
        if (!known.baseline_failure)
          known.baseline_failure = fmt::format("tensor '{}': {}", tensor.name, *failure);
      facts.is_whole = seen.max_abs_diff == 0 && seen.failed == 0 && has_whole_inputs(workload_);
      if (is_real(tensor.dtype) && facts.count > 0)
        facts.baseline_rms = std::sqrt(seen.sum_sq_diff / static_cast<double>(facts.count));
    }
  }
  return {};
}

}  // namespace kw::referee
