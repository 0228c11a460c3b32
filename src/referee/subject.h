// One workload under examination: its right answer, wrong ones in the making, and what the gates
// say of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/parallel.h"
#include "referee/bench.h"
#include "referee/truth.h"

namespace kw::referee {

/// What became of a wrong answer.
struct Judged {
  bool is_right = false;  ///< It is the right answer: nothing can be said of it.
  bool passed = false;    ///< The gates took it for correct.
  double gate_fraction = 0;
};

/// Buffers of one workload at one input set. Answers are made in the referee's own memory, at the
/// task's types, and judged as a candidate's are. Inputs are copies that may be changed.
class Subject {
 public:
  /// Both outlive it. `maker` is whoever computes truths where the bench is: on the host, or the
  /// fast reference on the device.
  Subject(Bench& bench, const TruthMaker& maker);

  /// Computes the right answer; before anything else.
  Result<> prepare();
  /// Words, if the right answer cannot be believed (Bench::doubt). Right after prepare().
  Result<std::optional<std::string>> doubt() { return bench_.doubt(kSet); }

  const Workload& workload() const { return bench_.workload(); }
  const std::vector<Tensor>& tensors() const { return bench_.workload().tensors; }
  device::BufferOps& ops() { return bench_.device().ops(); }
  const Known& known() const { return bench_.known(kSet); }
  double reference_ns() const { return bench_.known(kSet).truth.reference_ns; }
  Seed seed() const { return bench_.seed(); }
  /// For edits of whole tensors, which would take one thread seconds.
  device::Parallel& parallel() { return parallel_; }

  /// Makes the answer the right one, for a mutant to change.
  Result<> begin();
  /// Buffers by tensor; null where a tensor is not compared.
  device::Buffer& answer(std::size_t tensor) { return *answer_[tensor]; }
  const device::Buffer& right(std::size_t tensor) const { return *right_[tensor]; }
  /// What the outputs hold before the call.
  const device::Buffer& before(std::size_t tensor) { return *bench_.slot(0).buffers[tensor]; }
  Result<Judged> judge();

  /// Inputs by tensor, null where none is drawn: the right ones until somebody changes them.
  Buffers& inputs() { return inputs_; }
  /// The same of another draw.
  Result<const Buffers*> other_inputs();
  Result<> restore_input(std::size_t tensor);
  /// Makes the answer what the reference gives for these inputs. Words, if it gives none: it
  /// crashed, or ran out of time.
  Result<std::optional<std::string>> recompute(const Buffers& inputs);

 private:
  static constexpr int kSet = kWarmSet + 1;
  static constexpr int kOtherSet = kWarmSet + 2;

  Result<bool> is_right_answer();

  Bench& bench_;
  device::Parallel parallel_;
  TruthSeries series_;
  Buffers right_;  ///< The truth at the task's types, padding as in the slot.
  std::vector<device::Buffer*> answer_;
  Buffers inputs_;
};

}  // namespace kw::referee
