// Evaluates the formulas of a task for one workload, and checks every size.
// SPDX-License-Identifier: Apache-2.0
#include "task/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/defence.h"
#include "base/text.h"
#include "record/target.h"
#include "task/values.h"

namespace kw::task {
namespace {

/// The largest tensor in bytes: more than any machine has, and small enough that the sum over a few
/// tensors fits 64 bits.
constexpr std::int64_t kMaxTensorBytes = std::int64_t{1} << 56;

/// A magnitude above every number that a result can have, and that JSON can still express.
constexpr double kEverywhere = 1e300;

class Resolver {
 public:
  Resolver(const Definition& definition, const WorkloadSpec& spec)
      : definition_(definition), spec_(spec), names_(spec.dims) {}

  Result<Workload> run() {
    workload_.name = spec_.name;
    workload_.group = spec_.group;
    workload_.dims = {spec_.dims.begin(), spec_.dims.end()};
    for (const auto& let : definition_.lets) names_[let.name] = KW_TRY(value(let.value, let.name));
    for (const auto& scalar : definition_.scalars) {
      const auto found = spec_.scalars.find(scalar.name);
      workload_.scalars.push_back(
          KW_TRY(resolve_scalar(found == spec_.scalars.end() ? scalar : found->second)));
    }
    for (const auto& tensor : definition_.tensors)
      workload_.tensors.push_back(KW_TRY(resolve_tensor(tensor)));
    KW_TRY(resolve_work());
    if (definition_.dot_length) {
      workload_.dot_length = KW_TRY(value(*definition_.dot_length, "k"));
      if (workload_.dot_length < 1)
        return error(definition_.dot_length->place,
                     About{fmt::format("k: {}", workload_.dot_length)},
                     fmt::format("the gate's k is {}, below 1", workload_.dot_length));
    }
    workload_.exact_below = exact_below();
    workload_.exact_within = definition_.timed.within;
    return std::move(workload_);
  }

 private:
  std::unexpected<Error> error(Position place, About about, std::string_view message) const {
    std::string dims;
    for (const auto& [name, size] : spec_.dims) dims += fmt::format(" {}={}", name, size);
    return fail_input(ErrorCode::BadInput, About{fmt::format("{}: {}", spec_.name, about.value)},
                      fmt::format("{} in workload '{}' with{}", message, spec_.name, dims),
                      fmt::format("{}:{}:{}", definition_.file, place.line, place.column));
  }

  Result<std::int64_t> value(const Formula& formula, std::string_view what) const {
    const auto value = formula.expr.evaluate(names_);
    if (!value)
      return error(formula.place, About{fmt::format("{}: {}", what, value.error().about)},
                   fmt::format("{} '{}': {}", what, formula.expr.text(), value.error().message));
    return *value;
  }

  Result<Scalar> resolve_scalar(const ScalarSpec& spec) const {
    Scalar scalar;
    scalar.name = spec.name;
    scalar.dtype = spec.dtype;
    scalar.real = spec.real;
    if (is_real(spec.dtype)) return scalar;
    scalar.integer = KW_TRY(value(spec.integer, spec.name));
    if (!can_hold(spec.dtype, scalar.integer))
      return error(spec.integer.place,
                   About{fmt::format("{}: {}", spec.name, kw::name_of(spec.dtype))},
                   fmt::format("the scalar '{}' is {}, which does not fit into {}", spec.name,
                               scalar.integer, kw::name_of(spec.dtype)));
    return scalar;
  }

  Result<Tensor> resolve_tensor(const TensorSpec& spec) const {
    Tensor tensor;
    tensor.name = spec.name;
    tensor.dtype = spec.dtype;
    tensor.role = spec.role;
    tensor.initial = spec.initial;
    tensor.alignment = spec.alignment;
    for (const Formula& formula : spec.shape) {
      tensor.sizes.push_back(KW_TRY(value(formula, "shape")));
      if (tensor.sizes.back() < 1)
        return error(formula.place,
                     About{fmt::format("{}: size {}", spec.name, tensor.sizes.back())},
                     fmt::format("a size of the tensor '{}' is {}, below 1", spec.name,
                                 tensor.sizes.back()));
    }
    tensor.pitch = tensor.sizes.back();
    if (spec.pitch) {
      tensor.pitch = KW_TRY(value(*spec.pitch, "pitch"));
      if (tensor.pitch < tensor.sizes.back())
        return error(spec.pitch->place, About{fmt::format("{}: pitch {}", spec.name, tensor.pitch)},
                     fmt::format("the pitch of '{}' is {} elements, less than its row of {}",
                                 spec.name, tensor.pitch, tensor.sizes.back()));
    }
    std::int64_t bytes = static_cast<std::int64_t>(size_of(spec.dtype));
    bool overflow = __builtin_mul_overflow(bytes, tensor.pitch, &bytes);
    for (std::size_t i = 0; i + 1 < tensor.sizes.size(); ++i)
      overflow = overflow || __builtin_mul_overflow(bytes, tensor.sizes[i], &bytes);
    if (overflow || bytes > kMaxTensorBytes)
      return error(spec.place,
                   About{fmt::format("{}: {}", spec.name, format_bytes(kMaxTensorBytes))},
                   fmt::format("the tensor '{}' has more than {}", spec.name,
                               format_bytes(kMaxTensorBytes)));
    const auto& values = values_of(spec);
    tensor.values = KW_TRY(resolve_values(values, spec, tensor));
    KW_TRY(resolve_regions(spec, tensor));
    return tensor;
  }

  bool is_planted() const {
    return spec_.group == kw::Group::Time && is_on(Defence::PlantedInputs);
  }

  const ValuesSpec& values_of(const TensorSpec& tensor) const {
    if (const auto own = spec_.values.find(tensor.name); own != spec_.values.end())
      return own->second;
    const auto timed = definition_.timed.values.find(tensor.name);
    return is_planted() && timed != definition_.timed.values.end() ? timed->second : tensor.values;
  }

  /// The magnitude below which elements of the output must be exact; -1: none must be. Sums over
  /// planted lines have a magnitude of at most 4, whereas all other sums grow with their length. If
  /// the length is too small to tell the two apart, no element counts as exact.
  double exact_below() const {
    constexpr double kLongest = 8;
    constexpr std::int64_t kLeastLength = 64;
    const auto exact = definition_.timed.exact;
    if (!is_planted() || exact == TimedSpec::Exact::None) return -1;
    for (const auto& [name, values] : definition_.timed.values)
      if (spec_.values.contains(name)) return -1;  // the workload replaces the task's values
    if (exact == TimedSpec::Exact::All) return kEverywhere;
    if (workload_.dot_length < kLeastLength) return -1;
    return std::min(kLongest, static_cast<double>(workload_.dot_length) / 16);
  }

  /// The parameters of the distribution, those that are formulas included.
  Result<std::map<std::string, double>> resolve_numbers(const ValuesSpec& spec,
                                                        const Tensor& tensor) const {
    std::map<std::string, double> numbers = spec.numbers;
    for (const auto& [key, formula] : spec.formulas)
      numbers[key] = static_cast<double>(KW_TRY(value(formula, key)));
    const auto bad = bad_numbers(spec.kind, numbers, tensor.dtype);
    if (bad.empty()) return numbers;
    const auto formula = spec.formulas.find(bad.front().key);
    return error(formula == spec.formulas.end() ? spec.place : formula->second.place,
                 About{fmt::format("{}: {}", tensor.name, bad.front().about)}, bad.front().message);
  }

  Result<Values> resolve_values(const ValuesSpec& spec, const TensorSpec& tensor_spec,
                                const Tensor& tensor) const {
    Values values;
    values.kind = spec.kind;
    values.numbers = KW_TRY(resolve_numbers(spec, tensor));
    for (const auto& name : spec.origin) values.origin.push_back(workload_.scalar(name)->real);
    for (const auto& name : spec.step) values.step.push_back(workload_.scalar(name)->real);
    for (const auto& formula : spec.count) {
      values.count.push_back(KW_TRY(value(formula, "count")));
      if (values.count.back() < 1)
        return error(
            formula.place, About{"count"},
            fmt::format("'count' of the tensor's values is {}, below 1", values.count.back()));
    }
    if (const auto over = values.numbers.find("over"); over != values.numbers.end())
      if (over->second + values.numbers.at("axes") > static_cast<double>(tensor.sizes.size()))
        return error(
            spec.place, About{fmt::format("over: axes of {}", tensor_spec.name)},
            fmt::format("axes {} to {} are to be summed over, but the number of axes of '{}' is {}",
                        over->second, over->second + values.numbers.at("axes") - 1,
                        tensor_spec.name, tensor.sizes.size()));
    if (spec.kind != "points") {
      KW_TRY(check_structure(spec, tensor, values));
      return values;
    }
    if (tensor.sizes.size() != 2 ||
        tensor.sizes[1] != static_cast<std::int64_t>(values.count.size()))
      return error(
          tensor_spec.place, About{"points: shape"},
          fmt::format("values of kind 'points' with {} axes need a tensor of shape [points, {}]",
                      values.count.size(), values.count.size()));
    for (const double step : values.step)
      if (step == 0)
        return error(tensor_spec.place, About{"step"},
                     "an entry of 'step' of the tensor's points is 0, which is not allowed");
    return values;
  }

  /// Whether the tensor can hold what its kind of values promises.
  Result<> check_structure(const ValuesSpec& spec, const Tensor& tensor,
                           const Values& values) const {
    const auto refuse = [&](std::string_view needs) {
      return error(spec.place, About{fmt::format("{}: {}", tensor.name, spec.kind)},
                   fmt::format("values of kind '{}' need {}", spec.kind, needs));
    };
    std::int64_t elements = 1;
    for (const std::int64_t size : tensor.sizes) elements *= size;
    if (spec.kind == "offsets") {
      if (elements < 2) return refuse("two elements or more");
      if (!can_hold(tensor.dtype, values.count.front()))
        return refuse(fmt::format("a type that holds their count of {}", values.count.front()));
    }
    if (spec.kind == "permutation") {
      const bool is_whole = values.numbers.at("whole") > 0;
      const std::int64_t highest = (is_whole ? elements : tensor.sizes.back()) - 1;
      if (!can_hold(tensor.dtype, highest))
        return refuse(fmt::format("a type that holds their largest number, {}", highest));
    }
    const bool is_matrix =
        spec.kind == "spd" || spec.kind == "dominant" || spec.kind == "triangular";
    const std::size_t rank = tensor.sizes.size();
    if (is_matrix && (rank < 2 || tensor.sizes[rank - 1] != tensor.sizes[rank - 2]))
      return refuse("square matrices: the last two sizes must be equal");
    return {};
  }

  Result<> resolve_regions(const TensorSpec& spec, Tensor& tensor) const {
    Region whole;
    for (const auto size : tensor.sizes) whole.ranges.push_back({0, size});
    if (spec.is_whole_compared) tensor.compared.push_back(whole);
    for (const auto& ranges : spec.regions) {
      Region region = whole;
      for (std::size_t i = 0; i < ranges.size(); ++i) {
        const auto& [lo, hi] = ranges[i];
        if (!lo) continue;
        Range& range = region.ranges[i];
        range.lo = KW_TRY(value(*lo, "region"));
        if (range.lo < 0 || range.lo >= tensor.sizes[i])
          return error(lo->place, About{fmt::format("{}: index {}", spec.name, range.lo)},
                       fmt::format("index {} lies outside 0 to {} of '{}'", range.lo,
                                   tensor.sizes[i] - 1, spec.name));
        range.hi = hi ? KW_TRY(value(*hi, "region")) : range.lo + 1;
        if (range.hi <= range.lo || range.hi > tensor.sizes[i])
          return error(hi->place,
                       About{fmt::format("{}: range {} to {}", spec.name, range.lo, range.hi)},
                       fmt::format("the range {} to {} is empty or leaves 0 to {} of '{}'",
                                   range.lo, range.hi, tensor.sizes[i], spec.name));
      }
      tensor.compared.push_back(std::move(region));
    }
    return {};
  }

  Result<> resolve_work() {
    const WorkSpec& spec = definition_.work;
    WorkPerCall& work = workload_.work;
    for (const auto& [formula, number] : {std::pair{&spec.floor_bytes, &work.floor_bytes},
                                          {&spec.floor_flops, &work.floor_flops},
                                          {&spec.read_bytes, &work.read_bytes},
                                          {&spec.write_bytes, &work.write_bytes},
                                          {&spec.flops, &work.flops},
                                          {&spec.items, &work.items}}) {
      *number = KW_TRY(value(*formula, "work"));
      if (*number < 0)
        return error(formula->place, About{fmt::format("work: {}", *number)},
                     fmt::format("the formula of the work gives {}, which is negative", *number));
    }
    return {};
  }

  const Definition& definition_;
  const WorkloadSpec& spec_;
  Names names_;
  Workload workload_;
};

std::string shown_bytes(std::int64_t bytes) {
  return format_bytes(static_cast<std::uint64_t>(std::max<std::int64_t>(0, bytes)));
}

/// The bytes of the tensors, with two-byte elements counted twice: their references have eight
/// bytes per element like those of four-byte elements, and references take most of the memory.
double weighed_bytes(const Workload& workload) {
  double bytes = 0;
  for (const Tensor& tensor : workload.tensors)
    bytes += static_cast<double>(tensor.bytes()) * (is_half(tensor.dtype) ? 2 : 1);
  return bytes;
}

/// All timed workloads together may take this many times the limit for one workload. The limit for
/// one has a margin, and not all workloads need it at once. On a card of 80 GB the four stencil
/// workloads fit at 1.2, and three of softmax_f16 do not fit at 1.5.
constexpr double kTogether = 1.3;

/// Leaves out the largest timed workloads until the rest, which are in memory at the same time,
/// fit.
void skip_timed_above(std::int64_t max_bytes, Resolved& resolved) {
  for (;;) {
    double bytes = 0;
    auto largest = resolved.workloads.end();
    int timed = 0;
    for (auto w = resolved.workloads.begin(); w != resolved.workloads.end(); ++w) {
      if (w->group != Group::Time) continue;
      ++timed;
      bytes += weighed_bytes(*w);
      if (largest == resolved.workloads.end() || weighed_bytes(*w) > weighed_bytes(*largest))
        largest = w;
    }
    if (timed < 2 || bytes <= kTogether * static_cast<double>(max_bytes)) return;
    resolved.skipped.push_back(
        {largest->name, largest->group,
         fmt::format("the tensors of this workload have {}; with the other timed workloads that is "
                     "more than the {} that fit",
                     shown_bytes(largest->bytes()), shown_bytes(max_bytes))});
    resolved.workloads.erase(largest);
  }
}

}  // namespace

Result<Workload> resolve(const Definition& definition, const WorkloadSpec& spec) {
  return Resolver(definition, spec).run();
}

Result<Resolved> resolve(const Definition& definition, Target target, std::int64_t max_bytes) {
  Resolved resolved;
  if (!row_of(target).has_half_types)
    for (const TensorSpec& tensor : definition.tensors)
      if (is_half(tensor.dtype))
        return fail_input(
            ErrorCode::Unsupported, About{tensor.name},
            fmt::format("task '{}' is for --target cuda: its tensor '{}' is {}, for which the cpu "
                        "target has no type",
                        definition.task.name, tensor.name, kw::name_of(tensor.dtype)),
            definition.folder);
  for (const WorkloadSpec& spec : definition.workloads) {
    if (!spec.is_for(target)) continue;
    Workload workload = KW_TRY(resolve(definition, spec));
    const std::int64_t bytes = workload.bytes();
    if (bytes <= max_bytes)
      resolved.workloads.push_back(std::move(workload));
    else
      resolved.skipped.push_back(
          {spec.name, spec.group,
           fmt::format("the tensors of this workload have {}, and the limit is {}",
                       shown_bytes(bytes), shown_bytes(max_bytes))});
  }
  skip_timed_above(max_bytes, resolved);
  return resolved;
}

}  // namespace kw::task
