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

/// A derived integer; may use dims and earlier ones.
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

/// Neither bound: the whole dimension. `lo` alone: the one index.
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
  std::vector<std::vector<RangeSpec>> regions;  ///< Where not whole; empty: not compared.
  Position place;
};

/// What inputs of timed workloads hold instead, so that a missing element or bit shows there.
struct TimedSpec {
  /// Which elements of the outputs are exact in any order of summing.
  enum class Exact { None, Planted, All };
  std::map<std::string, ValuesSpec> values;  ///< By tensor.
  Exact exact = Exact::None;
  double within = 0.5;  ///< Units of the grid that those may be off by.
};

struct WorkSpec {
  Formula floor_bytes, floor_flops, read_bytes, write_bytes, flops, items;
};

struct WorkloadSpec {
  std::string name;
  Group group = Group::Check;
  std::vector<Target> targets;  ///< Empty: all.
  Names dims;
  std::map<std::string, ValuesSpec> values;   ///< By tensor; replaces that of the task.
  std::map<std::string, ScalarSpec> scalars;  ///< By scalar; replaces that of the task.
  Position place;

  bool is_for(Target target) const;
};

/// What a variant leaves out of the task that it is like.
struct Narrowing {
  /// Dims of the other task that are constants here, whatever a workload says; they are `lets`.
  std::map<std::string, std::int64_t> fixed;
  /// Such dims whose other values leave a workload out.
  std::map<std::string, std::int64_t> only;
  /// The arguments of the other task's function, in order; empty: they are the same.
  std::vector<Parameter> wider;
};

struct Definition {
  std::string folder;  ///< Where it came from, for messages.
  std::string file;    ///< The task.yaml with its formulas: of the other task where it is like one.
  /// The task of which this one is a variant, that one's, and so on; empty: none.
  std::vector<std::string> like;
  std::optional<Dtype> real;  ///< What the variant's real tensors are instead.
  Narrowing narrowing;
  Task task;
  std::vector<std::string> dims;
  std::vector<Let> lets;
  std::vector<ScalarSpec> scalars;
  std::vector<TensorSpec> tensors;
  WorkSpec work;
  std::optional<Formula> dot_length;  ///< k of the `dot` gate.
  TimedSpec timed;
  std::vector<WorkloadSpec> workloads;
  std::string reference;              ///< Text of reference.cpp.
  std::vector<Candidate> baselines;   ///< By name; directives parsed, knobs at their default.
  std::vector<Candidate> candidates;  ///< Hand-made ones of the folder, by name.
  /// float64 truth and magnitude on a GPU, from reference_fast.cu and magnitude_fast.cu.
  std::optional<Candidate> reference_fast;
  std::optional<Candidate> magnitude_fast;
  std::string code;   ///< The file whose function the reference is; empty: it is nobody's code.
  std::string draft;  ///< Text of DRAFT.md; empty: a person stands behind the task.
};

}  // namespace kw::task
