// Runs a task's init.cpp, which computes inputs from a seed that the referee draws.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/rng.h"
#include "device/device.h"
#include "record/task.h"
#include "referee/leg.h"
#include "referee/truth.h"

namespace kw::referee {

/// Fills the coded inputs (record/coded_inputs.h) of one workload, one process for each filling: so
/// nothing that the code remembers can carry over from one input set to the next. The process has
/// the jail and the time limit of a reference, and maps no memory that a candidate maps. Memory:
/// one more set of inputs, on the host.
class CodedInputs {
 public:
  /// `maker` says where references run; it and `workload` are borrowed. `program` is the task's
  /// init.cpp; null where it has none.
  CodedInputs(const TruthMaker& maker, const Program* program, const Workload& workload);

  /// Whether the workload has such inputs.
  bool are_there() const { return are_there_; }

  /// Computes the coded inputs into `to` (by tensor of the workload; null where a buffer is not
  /// wanted), whose other inputs are already drawn: the code may read them. Buffers may be on
  /// another device. Errors (the task is at fault): init.cpp is missing, does not return, writes
  /// outside of the tensors, computes something else from the same seed, or computes the same from
  /// two seeds although the values do not say `constant: 1`. The latter is not looked at where a
  /// tensor has fewer than kFewElements elements.
  Result<> fill(Buffers& to, Seed seed);

  static constexpr std::int64_t kFewElements = 16;

 private:
  /// What the code made of the latest seed.
  struct Seen {
    std::uint64_t seed = 0;
    std::string sha256;
  };

  std::unexpected<Error> at_fault(std::string about, const std::string& message) const;
  Result<> allocate();
  Result<> compute(const Buffers* to, std::uint64_t seed);
  Result<> compare(const Tensor& tensor, std::uint64_t seed, std::string sha256);

  const TruthMaker& maker_;
  const Program* program_;
  const Workload& workload_;
  bool are_there_;
  Task task_;        ///< coded_task() of the task.
  Workload called_;  ///< coded_workload() of the workload.
  Buffers buffers_;  ///< By tensor of `called_`; empty until they are needed.
  std::unique_ptr<Leg> leg_;
  std::map<std::string, Seen> seen_;  ///< By name of the tensor.
};

}  // namespace kw::referee
