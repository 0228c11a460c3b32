// A task as all parts of the program see it: resolved, without expressions, files or YAML.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/dtype.h"
#include "record/enums.h"

namespace kw {

/// One argument of the task's C function, in call order.
struct Parameter {
  std::string name;
  bool is_tensor = false;
  Dtype dtype = Dtype::F32;
  TensorRole role = TensorRole::In;  ///< Scalars are always In.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("name", s.name), v("is_tensor", s.is_tensor), v("dtype", s.dtype), v("role", s.role);
  }
};

/// Tolerances of the outputs; docs/formats.md explains each kind of gate and each number.
struct Gate {
  GateKind kind = GateKind::Relative;
  double c = 4;
  double scale = 0;
  double l2 = 0;
  double max = 0;
  double rms_factor = 4;  ///< Factor of the RMS gate; 0 switches this gate off (only for `exact`).

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("kind", s.kind), v("c", s.c), v("scale", s.scale), v("l2", s.l2), v("max", s.max),
        v("rms_factor", s.rms_factor);
  }
};

/// Goals of a run, which ends once all that are set are reached.
struct Goals {
  std::optional<double> time_ns;
  std::optional<double> speedup;
  std::optional<double> roof;  ///< Fraction of roofline, 0–1.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("time_ns", s.time_ns), v("speedup", s.speedup), v("roof", s.roof);
  }
};

/// Default of Restrictions::workspace_bytes.
inline constexpr std::int64_t kDefaultWorkspaceBytes = std::int64_t{4} << 30;

/// Default of Restrictions::local_bytes: overwriting so much for every thread between two timed
/// calls takes half a millisecond at most (H100).
inline constexpr std::int64_t kDefaultLocalBytes = std::int64_t{4} << 10;

struct Restrictions {
  std::vector<std::string> libraries;  ///< Libraries that a candidate may link; empty: none.
  /// Compiler options that a candidate may name in addition to those that every task allows.
  std::vector<std::string> options;
  bool deterministic = false;        ///< Two calls on equal inputs must agree in every bit.
  std::int64_t workspace_bytes = 0;  ///< Memory beyond the tensors; 0 means kDefaultWorkspaceBytes.
  /// cuda: most registers that a thread of any kernel may have; 0: no bound.
  int registers = 0;
  /// cuda: most local memory that a thread may have (arrays indexed by variables, spilled
  /// registers, stack); 0 means kDefaultLocalBytes.
  std::int64_t local_bytes = 0;
  /// cuda: architectures that candidates may be compiled for; empty: any.
  std::vector<std::string> archs;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("libraries", s.libraries), v("options", s.options), v("deterministic", s.deterministic),
        v("workspace_bytes", s.workspace_bytes), v("registers", s.registers),
        v("local_bytes", s.local_bytes), v("archs", s.archs);
  }
};

/// A mutant (a slightly wrong kernel that tests a task) that is expected to pass the gates, since a
/// legitimate kernel may do what the mutant does.
struct Excuse {
  std::string mutant;           ///< Name of the mutant, where * stands for any text.
  std::vector<std::string> on;  ///< Timed workloads on which the mutant may pass; empty: all.
  std::string why;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("mutant", s.mutant), v("on", s.on), v("why", s.why);
  }
};

struct Task {
  std::string name;
  std::string function;  ///< The C function a candidate defines.
  std::string family;
  std::string summary;
  std::string spec;  ///< Text of spec.md, for people and models.
  std::vector<Parameter> signature;
  Gate gate;
  Goals goals;
  Restrictions restrictions;
  std::vector<Excuse> excused;
  bool has_magnitude = false;  ///< reference.cpp defines the magnitude S of the `dot` gate.
  std::string sha256;          ///< Hash of every file that decides what the task is.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("name", s.name), v("function", s.function), v("family", s.family), v("summary", s.summary),
        v("spec", s.spec), v("signature", s.signature), v("gate", s.gate), v("goals", s.goals),
        v("restrictions", s.restrictions), v("excused", s.excused),
        v("has_magnitude", s.has_magnitude), v("sha256", s.sha256);
  }
};

/// How a tensor's values are drawn; kinds and keys stand in docs/formats.md.
struct Values {
  std::string kind = "normal";
  /// Parameters of the kind of values: lo, hi, mean, std, share, height, levels, …
  std::map<std::string, double> numbers;
  /// Kind `points` only: origin of the grid per axis.
  std::vector<double> origin;
  std::vector<double> step;
  std::vector<std::int64_t> count;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("kind", s.kind), v("numbers", s.numbers), v("origin", s.origin), v("step", s.step),
        v("count", s.count);
  }
};

/// Unit whose multiples are the values of kind `grid`. Values below 2 then use three bits fewer
/// than the type has, so that sums below 16 are exact in any order, and a factor that lost four
/// bits is off by at least a unit.
constexpr double grid_unit(Dtype dtype) {
  double unit = 16;
  for (int bit = 0; bit < significand_bits(dtype); ++bit) unit /= 2;
  return unit;
}

/// Half-open index range of one dimension.
struct Range {
  std::int64_t lo = 0;
  std::int64_t hi = 0;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("lo", s.lo), v("hi", s.hi);
  }
};

/// One compared box of a tensor, one range per dimension.
struct Region {
  std::vector<Range> ranges;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("ranges", s.ranges);
  }
};

/// A tensor at one workload. Row-major: the last dimension has stride 1, the one before it `pitch`,
/// and each further one the stride times the size of the next dimension.
struct Tensor {
  std::string name;
  Dtype dtype = Dtype::F32;
  TensorRole role = TensorRole::In;
  Initial initial = Initial::Values;
  Values values;
  std::vector<std::int64_t> sizes;
  std::int64_t pitch = 0;        ///< Elements from row to row, >= sizes.back().
  std::int64_t alignment = 64;   ///< Bytes.
  std::vector<Region> compared;  ///< Boxes to compare; empty: the tensor is not compared.

  /// Number of rows, each as long as the last dimension.
  std::int64_t rows() const {
    std::int64_t n = 1;
    for (std::size_t i = 0; i + 1 < sizes.size(); ++i) n *= sizes[i];
    return n;
  }
  /// Number of elements from the first to the end of the last row, padding between rows included.
  std::int64_t extent() const {
    if (sizes.empty()) return 1;
    for (std::int64_t s : sizes)
      if (s == 0) return 0;
    return (rows() - 1) * pitch + sizes.back();
  }
  std::int64_t bytes() const { return extent() * static_cast<std::int64_t>(size_of(dtype)); }

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("name", s.name), v("dtype", s.dtype), v("role", s.role), v("initial", s.initial),
        v("values", s.values), v("sizes", s.sizes), v("pitch", s.pitch),
        v("alignment", s.alignment), v("compared", s.compared);
  }
};

struct Scalar {
  std::string name;
  Dtype dtype = Dtype::I32;
  double real = 0;           ///< Value of f32 and f64.
  std::int64_t integer = 0;  ///< Value of integers and bool.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("name", s.name), v("dtype", s.dtype), v("real", s.real), v("integer", s.integer);
  }
};

/// Bytes and operations of one call. The floor is what any algorithm must do; only the floor makes
/// a time implausible. Nominal counts are the conventional ones, by which rates are reported; a
/// better algorithm may need less.
struct WorkPerCall {
  std::int64_t floor_bytes = 0;
  std::int64_t floor_flops = 0;
  std::int64_t read_bytes = 0;   ///< Nominal bytes read.
  std::int64_t write_bytes = 0;  ///< Nominal bytes written.
  std::int64_t flops = 0;        ///< Nominal floating-point operations.
  std::int64_t items = 0;        ///< Points, elements, rows: what throughput counts.

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("floor_bytes", s.floor_bytes), v("floor_flops", s.floor_flops), v("read_bytes", s.read_bytes),
        v("write_bytes", s.write_bytes), v("flops", s.flops), v("items", s.items);
  }
};

/// One concrete set of dimensions and value distributions of a task.
struct Workload {
  std::string name;
  Group group = Group::Check;
  std::map<std::string, std::int64_t> dims;
  /// Tensors in the order of the task; entries of the signature refer to them by name.
  std::vector<Tensor> tensors;
  std::vector<Scalar> scalars;
  WorkPerCall work;
  std::int64_t dot_length = 1;  ///< The k of the `dot` gate.
  /// Bound on an element's magnitude S (the sum of its terms' absolute values; 0 where the task has
  /// none). Elements up to the bound are sums of multiples of grid_unit() that every order of
  /// summing gives exactly; negative: there are none.
  double exact_below = -1;
  /// Tolerance of the elements below `exact_below`, in units of grid_unit().
  double exact_within = 0.5;

  const Tensor* tensor(const std::string& wanted) const {
    for (const Tensor& t : tensors)
      if (t.name == wanted) return &t;
    return nullptr;
  }
  const Scalar* scalar(const std::string& wanted) const {
    for (const Scalar& s : scalars)
      if (s.name == wanted) return &s;
    return nullptr;
  }
  /// Bytes of all tensors together.
  std::int64_t bytes() const {
    std::int64_t n = 0;
    for (const Tensor& t : tensors) n += t.bytes();
    return n;
  }

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("name", s.name), v("group", s.group), v("dims", s.dims), v("tensors", s.tensors),
        v("scalars", s.scalars), v("work", s.work), v("dot_length", s.dot_length),
        v("exact_below", s.exact_below), v("exact_within", s.exact_within);
  }
};

/// A workload that this machine cannot hold, and why.
struct SkippedWorkload {
  std::string name;
  Group group = Group::Time;
  std::string reason;

  template <class Self, class V>
  static void fields(Self& s, V&& v) {
    v("name", s.name), v("group", s.group), v("reason", s.reason);
  }
};

}  // namespace kw
