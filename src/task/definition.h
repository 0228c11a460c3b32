// A task as its folder defines it: parsed and checked, with sizes as formulas that no workload has
// evaluated yet.
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

/// A derived integer, from the section `lets` of task.yaml; its formula may use dims and earlier
/// lets.
struct Let {
  std::string name;
  Formula value;
};

/// A scalar argument of the task's function: its dtype decides between an integer formula and a
/// real constant.
struct ScalarSpec {
  std::string name;
  Dtype dtype = Dtype::I32;
  Formula integer;
  double real = 0;
};

struct ValuesSpec {
  std::string kind = "normal";
  /// Parameters of the distribution, with defaults filled in.
  std::map<std::string, double> numbers;
  /// Parameters that depend on dims; each joins `numbers` when a workload is resolved.
  std::map<std::string, Formula> formulas;
  std::vector<std::string> origin;  ///< For kind `points`: names of real scalars, per axis.
  std::vector<std::string> step;
  std::vector<Formula> count;  ///< For kinds `points`, per axis, and `offsets`.
  Position place;
};

/// A range of one dimension: the whole dimension without bounds, or one index if only `lo` is set.
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
  /// The parts of the tensor that are compared if is_whole_compared is false; empty: the tensor is
  /// not compared.
  std::vector<std::vector<RangeSpec>> regions;
  Position place;
};

/// Special values for the inputs of timed workloads, chosen so that an omitted element or bit
/// changes the result visibly.
struct TimedSpec {
  /// Which elements of the outputs are exact whatever the order of summation.
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

/// The dims and arguments that a variant leaves out of the task that it is based on (`like` in
/// task.yaml).
struct Narrowing {
  /// Dims of the task on which the variant is based that are constants in the variant, where they
  /// count as `lets`.
  std::map<std::string, std::int64_t> fixed;
  /// Dims of the task on which the variant is based that must have these values; the variant leaves
  /// out workloads with other values.
  std::map<std::string, std::int64_t> only;
  /// The arguments of the function of the task on which the variant is based, in order; empty: the
  /// variant has the same arguments.
  std::vector<Parameter> wider;
};

struct Definition {
  std::string folder;  ///< Where the task came from, for messages.
  /// The task.yaml that holds the formulas. A variant uses the file of the task on which it is
  /// based (`like`).
  std::string file;
  /// The tasks on which this variant is based, the nearest first; empty: the task is no variant.
  std::vector<std::string> like;
  /// The dtype that a variant gives to all real tensors, instead of that of the task on which it is
  /// based.
  std::optional<Dtype> real;
  Narrowing narrowing;
  Task task;
  std::vector<std::string> dims;
  std::vector<Let> lets;
  std::vector<ScalarSpec> scalars;
  std::vector<TensorSpec> tensors;
  WorkSpec work;
  /// The formula for k, the number of products that each output sums, which the `dot` gate needs.
  std::optional<Formula> dot_length;
  /// What the `dot` gate measures against (S), in words; empty: the sum of the absolute values of
  /// the products.
  std::string magnitude;
  TimedSpec timed;
  std::vector<WorkloadSpec> workloads;
  std::string reference;  ///< Text of reference.cpp.
  std::string init;       ///< Text of init.cpp, which computes inputs; empty: there is none.
  /// Baselines by name, with parsed directives and default knobs.
  std::vector<Candidate> baselines;
  std::vector<Candidate> candidates;  ///< Hand-made kernels of the task's folder, by name.
  /// GPU programs that compute the float64 reference and its magnitude: reference_fast.cu and
  /// magnitude_fast.cu.
  std::optional<Candidate> reference_fast;
  std::optional<Candidate> magnitude_fast;
  /// The file of a person's code from which the reference was drafted; empty if there was none.
  std::string code;
  std::string draft;  ///< Text of DRAFT.md; empty: a person has accepted the task.
};

}  // namespace kw::task
