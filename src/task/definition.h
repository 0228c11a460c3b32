// A task as its folder defines it: everything read and checked, nothing resolved to sizes yet.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/expr.h"
#include "record/candidate.h"
#include "record/task.h"
#include "task/fields.h"

namespace kw::task {

/// A derived integer; its formula may use dims and the lets before it.
struct Let {
  std::string name;
  Formula value;
};

/// A scalar argument: an integer formula or a real constant, as its dtype says.
struct ScalarSpec {
  std::string name;
  Dtype dtype = Dtype::I32;
  Formula integer;
  double real = 0;
};

struct ValuesSpec {
  std::string kind = "normal";
  std::map<std::string, double> numbers;  ///< Complete: defaults filled in.
  std::vector<std::string> origin;        ///< `points`: names of real scalars, per axis.
  std::vector<std::string> step;
  std::vector<Formula> count;
  Position place;
};

/// A range of one dimension. Without bounds: the whole dimension; with `lo` alone: that one index.
struct RangeSpec {
  std::optional<Formula> lo;
  std::optional<Formula> hi;
};

struct TensorSpec {
  std::string name;
  Dtype dtype = Dtype::F32;
  TensorRole role = TensorRole::In;
  Initial initial = Initial::Values;
  std::vector<Formula> shape;
  std::optional<Formula> pitch;
  std::int64_t alignment = 64;
  ValuesSpec values;
  bool is_whole_compared = false;
  /// The compared parts of a tensor that is not compared whole; empty: the tensor is not compared.
  std::vector<std::vector<RangeSpec>> regions;
  Position place;
};

/// Other values that inputs of timed workloads hold, so that a missing element or bit shows in the
/// result.
struct TimedSpec {
  /// Which elements of the outputs are exact in any order of summing.
  enum class Exact { None, Planted, All };
  std::map<std::string, ValuesSpec> values;  ///< By tensor name.
  Exact exact = Exact::None;
  double within = 0.5;  ///< Units of the output's grid by which exact elements may be off.
};

struct WorkSpec {
  Formula floor_bytes, floor_flops, read_bytes, write_bytes, flops, items;
};

struct WorkloadSpec {
  std::string name;
  Group group = Group::Check;
  std::vector<Target> targets;  ///< The targets that run the workload; empty: all.
  Names dims;
  std::map<std::string, ValuesSpec> values;   ///< Values by tensor name, which replace the task's.
  std::map<std::string, ScalarSpec> scalars;  ///< Scalars by name, which replace the task's.
  Position place;

  bool is_for(Target target) const;
};

/// What a variant leaves out of the task that its `like` names.
struct Narrowing {
  /// Values of the other task's dims that are constants in the variant; they count among its
  /// `lets`.
  std::map<std::string, std::int64_t> fixed;
  /// Values that the other task's dims must have: a workload with other values is left out.
  std::map<std::string, std::int64_t> only;
  /// The arguments of the other task's function, in order; empty: the variant has the same
  /// arguments.
  std::vector<Parameter> wider;
};

struct Definition {
  std::string folder;  ///< Where the task came from, for messages.
  /// The task.yaml that holds the formulas: for a variant, that of the task which its `like` names.
  std::string file;
  /// The task of which this one is a variant, the task of which that one is, and so on; empty: this
  /// task is no variant.
  std::vector<std::string> like;
  /// The type that a variant's real tensors have instead of the other task's.
  std::optional<Dtype> real;
  Narrowing narrowing;
  Task task;
  std::vector<std::string> dims;
  std::vector<Let> lets;
  std::vector<ScalarSpec> scalars;
  std::vector<TensorSpec> tensors;
  WorkSpec work;
  /// The formula for k, the number of products summed, in the `dot` gate.
  std::optional<Formula> dot_length;
  TimedSpec timed;
  std::vector<WorkloadSpec> workloads;
  std::string reference;  ///< Text of reference.cpp.
  /// Baselines by name; directives parsed, knobs at their default.
  std::vector<Candidate> baselines;
  std::vector<Candidate> candidates;  ///< Hand-made kernels of the task's folder, by name.
  /// float64 truth and magnitude on a GPU, from reference_fast.cu and magnitude_fast.cu.
  std::optional<Candidate> reference_fast;
  std::optional<Candidate> magnitude_fast;
  /// The file of a person's code from which the reference was drafted; empty: there was none.
  std::string code;
  std::string draft;  ///< Text of DRAFT.md; empty: a person has accepted the task.
};

}  // namespace kw::task
