// Examines one workload: its right answer, wrong answers made from it, and what the gates say of
// them.
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

/// What the gates say of a wrong answer.
struct Judged {
  bool is_right = false;  ///< True: the answer is the right one, so that it proves nothing.
  bool passed = false;    ///< True: the gates accepted the answer.
  double gate_fraction = 0;
  std::string failure = {};  ///< What failed first; empty if the answer passed.
};

/// Buffers of one workload at one input set. Answers are made in the referee's own memory, at the
/// task's types, and judged as a candidate's are. Inputs are copies that may be changed.
class Subject {
 public:
  /// `bench` and `maker` must outlive the subject. `maker` computes truths where the bench is: with
  /// the reference on the host, or with the fast reference on the device.
  Subject(Bench& bench, const TruthMaker& maker);

  /// Computes the right answer; must be called first.
  Result<> prepare();
  /// Says why the right answer cannot be believed (KnownTruths::doubt); nothing if it can. To be
  /// called right after prepare().
  Result<std::optional<Doubt>> doubt() { return bench_.truths.doubt(kSet); }

  const Task& task() const { return bench_.task(); }
  const Workload& workload() const { return bench_.workload(); }
  const std::vector<Tensor>& tensors() const { return bench_.workload().tensors; }
  device::BufferOps& ops() { return bench_.device().ops(); }
  const Known& known() const { return bench_.truths.known(kSet); }
  double reference_ns() const { return bench_.truths.known(kSet).truth.reference_ns; }
  Seed seed() const { return bench_.seed(); }
  /// Threads for edits of whole tensors, which would take one thread seconds.
  device::Parallel& parallel() { return parallel_; }

  /// Resets the answer to the right one, for a mutant to change.
  Result<> begin();
  /// Buffer of the answer by tensor. Precondition: the tensor is compared.
  device::Buffer& answer(std::size_t tensor) { return *answer_[tensor]; }
  const device::Buffer& right(std::size_t tensor) const { return *right_[tensor]; }
  /// What the tensor held before the call.
  const device::Buffer& before(std::size_t tensor) { return *bench_.slots[0].buffers[tensor]; }
  Result<Judged> judge();

  /// Inputs by tensor, null where none is drawn: the right inputs until somebody changes them.
  Buffers& inputs() { return inputs_; }
  /// Inputs of another random draw, by tensor.
  Result<const Buffers*> other_inputs();
  Result<> restore_input(std::size_t tensor);
  /// Makes the answer what the reference gives for these inputs. Returns a message if the reference
  /// gives no answer, because it crashed or ran out of time.
  Result<std::optional<std::string>> recompute(const Buffers& inputs);
  /// The same for the right inputs and a series of another program, or of other scalars.
  Result<std::optional<std::string>> recompute_by(TruthSeries& series);
  /// Makes the answer what a program of the task's function gives at the task's types. Returns a
  /// message if it gives none.
  Result<std::optional<std::string>> answer_of(const Program& program);
  /// Computes truths where the subject is.
  const TruthMaker& maker() const { return maker_; }
  /// Time limit for a call that should take no longer than the reference's.
  std::int64_t patience_ns() const;

 private:
  static constexpr int kSet = kWarmSet + 1;
  static constexpr int kOtherSet = kWarmSet + 2;

  Result<bool> is_right_answer();
  Result<std::optional<std::string>> take(const Result<const Buffers*>& values);

  Bench& bench_;
  const TruthMaker& maker_;
  device::Parallel parallel_;
  TruthSeries series_;
  Buffers right_;  ///< The truth at the task's types, with the slot's padding.
  std::vector<device::Buffer*> answer_;
  Buffers inputs_;
};

}  // namespace kw::referee
