// Writes wrong answers into the referee's own buffers and judges them by the gates that candidates
// must pass.
// SPDX-License-Identifier: Apache-2.0
#include "referee/subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "record/evidence.h"
#include "referee/edit.h"
#include "referee/fate.h"

namespace kw::referee {
namespace {

Result<std::unique_ptr<device::Buffer>> clone(device::Device& device, const device::Buffer& from,
                                              const Tensor& tensor) {
  auto copy = KW_TRY(device.allocate({.name = "examined." + tensor.name,
                                      .bytes = tensor.bytes(),
                                      .alignment = tensor.alignment,
                                      .shared = false}));
  KW_TRY(device.ops().copy(*copy, from));
  return copy;
}

/// Converts what the reference left at double to the tensor's type; integers stay as they are.
Result<> to_own_type(device::BufferOps& ops, device::Buffer& to, const device::Buffer& from,
                     const Tensor& tensor) {
  return is_real(tensor.dtype) ? ops.narrow(to, from, tensor) : ops.copy(to, from);
}

}  // namespace

Subject::Subject(Bench& bench, const TruthMaker& maker)
    : bench_(bench),
      maker_(maker),
      parallel_(bench.device().facts().cores),
      series_(maker, bench.workload()),
      right_(bench.workload().tensors.size()),
      answer_(bench.workload().tensors.size()),
      inputs_(bench.workload().tensors.size()) {}

Result<> Subject::prepare() {
  KW_TRY(bench_.truths.prepare(kSet));
  bench_.fast.rest();
  KW_TRY(bench_.slots.place(0, kSet));
  const Buffers* set = KW_TRY(bench_.pool().set(kSet));
  for (std::size_t i = 0; i < tensors().size(); ++i) {
    if ((*set)[i]) inputs_[i] = KW_TRY(clone(bench_.device(), *(*set)[i], tensors()[i]));
    if (tensors()[i].compared.empty()) continue;
    right_[i] = KW_TRY(clone(bench_.device(), before(i), tensors()[i]));
    KW_TRY(to_own_type(ops(), *right_[i], *known().truth.values[i], tensors()[i]));
    answer_[i] = KW_TRY(bench_.scratch(i));
  }
  return {};
}

Result<> Subject::begin() {
  for (std::size_t i = 0; i < answer_.size(); ++i)
    if (answer_[i] != nullptr) KW_TRY(ops().copy(*answer_[i], *right_[i]));
  return {};
}

Result<bool> Subject::is_right_answer() {
  for (std::size_t i = 0; i < answer_.size(); ++i)
    for (const Region& region : tensors()[i].compared)
      if (!KW_TRY(is_equal(parallel_, *answer_[i], *right_[i], tensors()[i], region))) return false;
  return true;
}

Result<Judged> Subject::judge() {
  Judged judged{.is_right = false, .passed = true, .gate_fraction = 0};
  Accuracy accuracy;
  for (std::size_t i = 0; i < answer_.size(); ++i) {
    const device::Buffer* magnitude =
        known().truth.magnitudes.empty() ? nullptr : known().truth.magnitudes[i].get();
    for (std::size_t r = 0; r < tensors()[i].compared.size(); ++r) {
      const RegionTruth& facts = known().regions[i][r];
      const auto seen = KW_TRY(ops().compare(
          *answer_[i], *known().truth.values[i], magnitude, tensors()[i], tensors()[i].compared[r],
          allowance_of(bench_.task().gate, tensors()[i], workload(), facts), {}));
      const auto failure =
          judge_region(bench_.task().gate, tensors()[i], facts, seen, true, accuracy);
      if (!failure) continue;
      if (judged.passed)
        judged.failure = fmt::format("tensor '{}': {}", tensors()[i].name, words_of(*failure));
      judged.passed = false;
    }
  }
  judged.gate_fraction = accuracy.gate_fraction;
  // The right answer passes, so only an answer that passes can be the right one.
  if (judged.passed) judged.is_right = KW_TRY(is_right_answer());
  return judged;
}

Result<const Buffers*> Subject::other_inputs() { return bench_.pool().set(kOtherSet); }

Result<> Subject::restore_input(std::size_t tensor) {
  const Buffers* set = KW_TRY(bench_.pool().set(kSet));
  return ops().copy(*inputs_[tensor], *(*set)[tensor]);
}

std::int64_t Subject::patience_ns() const {
  constexpr std::int64_t kLeastNs = 5'000'000'000;
  constexpr double kTimes = 20;
  return std::min(maker_.timeout_ns,
                  std::max(kLeastNs, static_cast<std::int64_t>(kTimes * reference_ns())));
}

Result<std::optional<std::string>> Subject::answer_of(const Program& program) {
  const auto leg = bench_.slots.make_leg("reference", maker_.jail, false, program);
  if (const auto refused = KW_TRY(leg->renew())) return refused->evidence;
  KW_TRY(leg->make_ready(workload()));
  const auto called = KW_TRY(leg->call(workload(), patience_ns()));
  if (called.fate == device::Fate::Returned)
    for (std::size_t i = 0; i < answer_.size(); ++i)
      if (answer_[i] != nullptr) KW_TRY(ops().copy(*answer_[i], *bench_.slots[0].buffers[i]));
  KW_TRY(bench_.slots.place_again(0));
  if (called.fate == device::Fate::Returned) return std::nullopt;
  return "it " + words_of(called.fate, called.signal);
}

Result<std::optional<std::string>> Subject::recompute(const Buffers& inputs) {
  return take(series_.values(inputs));
}

Result<std::optional<std::string>> Subject::recompute_by(TruthSeries& series) {
  return take(series.values(inputs_));
}

Result<std::optional<std::string>> Subject::take(const Result<const Buffers*>& values) {
  if (!values.has_value() && values.error().is_input) return values.error().what;
  if (!values.has_value()) return std::unexpected(values.error());
  for (std::size_t i = 0; i < answer_.size(); ++i)
    if (answer_[i] != nullptr)
      KW_TRY(to_own_type(ops(), *answer_[i], *(**values)[i], tensors()[i]));
  return std::nullopt;
}

}  // namespace kw::referee
