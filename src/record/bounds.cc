// Checks every field of a record, and the relations between single fields.
// SPDX-License-Identifier: Apache-2.0
#include "record/bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "record/at_double.h"
#include "record/codec_impl.h"

namespace kw {
namespace {

using codec::below;
using codec::IsMap;
using codec::IsOptional;
using codec::IsVector;

/// Fields whose whole numbers are neither sizes nor counts nor durations: values of a task or a
/// kernel, hashes, and ids. Every other integer field is held to the bounds, also one that a record
/// gets later.
constexpr std::array<std::string_view, 8> kAnyInteger{"seed",  "integer", "integers", "image",
                                                      "value", "knobs",   "dims",     "rank"};
/// Fields that say "unknown" or "none" by -1.
constexpr std::array<std::string_view, 3> kOrMinusOne{"carveout", "spill_bytes", "jail_uid"};
/// Fields of reals that may be negative.
constexpr std::array<std::string_view, 12> kAnySign{
    "real",    "reals",    "numbers",       "origin",      "step",     "scale",
    "call_ns", "eager_ns", "temperature_c", "exact_below", "counters", "checksum_diff"};
/// Fields of reals that may be NaN or infinite (null in JSON), such as deviations of outputs that
/// are no numbers.
constexpr std::array<std::string_view, 8> kAnyReal{"checksum_diff", "max_abs_diff",  "rel_l2",
                                                   "rms_ratio",     "gate_fraction", "counters",
                                                   "numbers",       "reals"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& keys, std::string_view key) {
  return std::ranges::find(keys, key) != keys.end();
}

Result<> check_integer(std::string_view key, std::int64_t value) {
  if (is_one_of(kAnyInteger, key)) return {};
  const std::int64_t least = is_one_of(kOrMinusOne, key) ? -1 : 0;
  if (value < least)
    return fail(ErrorCode::OutOfRange, About{std::string(key)},
                fmt::format("the value {} is below {}, the smallest value that this field can have",
                            value, least));
  if (value > kMostOfAnything)
    return fail(ErrorCode::OutOfRange, About{std::string(key)},
                fmt::format("the value {} is larger than this field can ever be", value));
  return {};
}

Result<> check_real(std::string_view key, double value) {
  if (!std::isfinite(value)) {
    if (is_one_of(kAnyReal, key)) return {};
    return fail(ErrorCode::Malformed, About{std::string(key)},
                "the value of this field is NaN or infinite");
  }
  if (value < 0 && !is_one_of(kAnySign, key))
    return fail(ErrorCode::OutOfRange, About{std::string(key)},
                fmt::format("the value {} is negative, which this field can never be", value));
  return {};
}

/// Checks every number of a record, by the name of the field that holds it.
template <class T>
Result<> check_numbers(const char* key, const T& value) {
  if constexpr (std::is_enum_v<T> || std::is_same_v<T, bool> || std::is_same_v<T, std::string>) {
    return {};
  } else if constexpr (std::is_same_v<T, std::uint64_t>) {
    if (is_one_of(kAnyInteger, key) || value <= static_cast<std::uint64_t>(kMostOfAnything))
      return {};
    return fail(ErrorCode::OutOfRange, About{key},
                fmt::format("the value {} is larger than this field can ever be", value));
  } else if constexpr (std::is_integral_v<T>) {
    return check_integer(key, static_cast<std::int64_t>(value));
  } else if constexpr (std::is_floating_point_v<T>) {
    return check_real(key, value);
  } else if constexpr (IsVector<T>::value) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      const typename T::value_type& item = value[i];
      if (auto checked = check_numbers(key, item); !checked)
        return below(std::move(checked), fmt::format("[{}]", i));
    }
    return {};
  } else if constexpr (IsMap<T>::value) {
    for (const auto& [name, item] : value)
      if (auto checked = check_numbers(key, item); !checked)
        return below(std::move(checked), "." + name);
    return {};
  } else if constexpr (IsOptional<T>::value) {
    return value ? check_numbers(key, *value) : Result<>();
  } else {
    Result<> status;
    T::fields(value, [&](const char* name, const auto& field) {
      if (!status) return;
      status = below(check_numbers(name, field), std::string(".") + name);
    });
    return status;
  }
}

/// The error as an input error that names the record.
Result<> named(Result<> checked, const char* record) {
  if (checked) return checked;
  Error& error = checked.error();
  return fail_input(error.code, About{std::move(error.about)},
                    fmt::format("{}{}: {}", record, error.where, error.what));
}

// The functions below check tensors.

/// a * b + c for numbers that are at least 0; nothing where the result exceeds the bounds.
std::optional<std::int64_t> product(std::int64_t a, std::int64_t b, std::int64_t c = 0) {
  std::int64_t value = 0;
  if (__builtin_mul_overflow(a, b, &value) || __builtin_add_overflow(value, c, &value) ||
      value > kMostOfAnything)
    return std::nullopt;
  return value;
}

Result<> check_tensor(const Tensor& t) {
  const std::int64_t width = t.sizes.empty() ? 1 : t.sizes.back();
  if (!t.sizes.empty() && t.pitch < width)
    return fail(ErrorCode::OutOfRange, About{"pitch"},
                fmt::format("the tensor's pitch of {} elements is less than its row of {} elements",
                            t.pitch, width));
  constexpr std::int64_t kMostAlignment = 1 << 21;
  const bool is_power = t.alignment > 0 && (t.alignment & (t.alignment - 1)) == 0;
  if (!is_power || t.alignment > kMostAlignment)
    return fail(
        ErrorCode::OutOfRange, About{"alignment"},
        fmt::format(
            "the tensor's alignment of {} bytes is no valid alignment, which is a power of two",
            t.alignment));
  std::optional<std::int64_t> rows = 1;
  for (std::size_t i = 0; rows && i + 1 < t.sizes.size(); ++i) rows = product(*rows, t.sizes[i]);
  const auto elements = rows ? product(*rows, std::max<std::int64_t>(t.pitch, 1), width) : rows;
  if (!elements || !product(*elements, static_cast<std::int64_t>(size_of(t.dtype))))
    return fail(ErrorCode::TooLarge, About{"tensor"}, "the tensor is larger than any memory");
  for (const Region& region : t.compared) {
    if (region.ranges.size() != t.sizes.size())
      return fail(
          ErrorCode::Contradiction, About{"dimensions of a region"},
          "a compared region of the tensor has another number of dimensions than the tensor");
    for (std::size_t i = 0; i < t.sizes.size(); ++i)
      if (region.ranges[i].lo > region.ranges[i].hi || region.ranges[i].hi > t.sizes[i])
        return fail(ErrorCode::OutOfRange, About{"region"},
                    "a compared region reaches outside its tensor");
  }
  return {};
}

Result<> check_workload(const Workload& w) {
  std::optional<std::int64_t> bytes = 0;
  for (const Tensor& t : w.tensors) {
    if (auto checked = check_tensor(t); !checked)
      return below(std::move(checked), ".tensors." + t.name);
    bytes = product(t.bytes(), 1, *bytes);
    if (!bytes)
      return fail(ErrorCode::TooLarge, About{"tensors"},
                  "the tensors of the workload together are larger than any memory");
  }
  if (w.dot_length < 1)
    return fail(ErrorCode::OutOfRange, About{"dot_length"},
                "the workload's length of dot products, dot_length, is below 1");
  return {};
}

// The functions below check launch plans.

/// Size in bytes of the memory that a place lies in; nothing: the plan has no such memory.
std::optional<std::int64_t> bytes_at(const PlanPlace& place, const Plan& plan, const Workload& w) {
  const auto index = static_cast<std::size_t>(place.index);
  switch (place.memory) {
    case PlanMemory::Tensor:
      return index < w.tensors.size() ? std::optional(w.tensors[index].bytes()) : std::nullopt;
    case PlanMemory::Workspace:
      return index < plan.workspaces.size() ? std::optional(plan.workspaces[index].bytes)
                                            : std::nullopt;
    case PlanMemory::Table: {
      if (index >= plan.tables.size()) return std::nullopt;
      const PlanTable& table = plan.tables[index];
      const std::size_t elements = std::max(table.integers.size(), table.reals.size());
      return static_cast<std::int64_t>(elements * size_of(table.dtype));
    }
  }
  KW_ASSERT(false);
}

Result<> check_place(const PlanPlace& place, std::int64_t bytes, const Plan& plan,
                     const Workload& w) {
  const auto whole = bytes_at(place, plan, w);
  if (!whole)
    return fail(ErrorCode::NotFound, About{"memory"},
                fmt::format("the plan names memory {} {}, which does not exist",
                            codec::write(place.memory).get<std::string>(), place.index));
  if (place.offset > *whole || bytes > *whole - place.offset)
    return fail(
        ErrorCode::OutOfRange, About{fmt::format("bytes from {} of {}", place.offset, *whole)},
        fmt::format(
            "the plan uses {} bytes from offset {} on, which lie outside their buffer of {} bytes",
            bytes, place.offset, *whole));
  return {};
}

Result<> check_threes(const PlanStep& step) {
  if (step.grid.size() != 3 || step.block.size() != 3 ||
      (!step.cluster.empty() && step.cluster.size() != 3))
    return fail(ErrorCode::Malformed, About{"three sizes"},
                "a grid, block or cluster of the plan lacks one of its three sizes x, y and z");
  for (const auto* sizes : {&step.grid, &step.block, &step.cluster}) {
    std::optional<std::int64_t> all = 1;
    for (const std::int64_t n : *sizes) {
      all = n > 0 ? product(*all, n) : std::nullopt;
      if (!all)
        return fail(
            ErrorCode::OutOfRange, About{"grid, block or cluster"},
            "a size of a grid, block or cluster of the plan is below 1, or the sizes multiply to "
            "more than 64 bits hold");
    }
  }
  return {};
}

Result<> check_argument(const PlanArgument& a, const Plan& plan, const Workload& w) {
  constexpr std::int64_t kMostBytes = 128;  // the size of a tensor map
  if (a.bytes < 1 || a.bytes > kMostBytes)
    return fail(ErrorCode::OutOfRange, About{"argument"},
                "an argument of a launch has a size in bytes that no kernel argument can have");
  if (a.kind == ArgumentKind::Address) return check_place(a.place, 0, plan, w);
  if (a.kind == ArgumentKind::TensorMap &&
      static_cast<std::size_t>(a.map) >= plan.tensor_maps.size())
    return fail(
        ErrorCode::NotFound, About{"tensor map"},
        fmt::format("an argument of a launch names tensor map {}, which the plan does not have",
                    a.map));
  return {};
}

Result<> check_step(const PlanStep& step, std::size_t index, const Plan& plan, const Workload& w) {
  for (const int after : step.after)
    if (static_cast<std::size_t>(after) >= index)
      return fail(
          ErrorCode::Contradiction, About{"order of steps"},
          fmt::format("this step of the plan waits for step {}, which does not come before it",
                      after));
  if (static_cast<std::size_t>(step.branch) > plan.steps.size())
    return fail(
        ErrorCode::OutOfRange, About{"branch"},
        fmt::format("this step of the plan is on branch {}, and the plan has fewer branches",
                    step.branch));
  for (const PlanArgument& a : step.arguments)
    if (auto checked = check_argument(a, plan, w); !checked) return checked;
  if (step.kind == StepKind::Launch) return check_threes(step);
  if (step.kind == StepKind::Call) return {};
  if (step.kind == StepKind::Copy) KW_TRY(check_place(step.from, step.bytes, plan, w));
  const bool is_unit = step.unit == 1 || step.unit == 2 || step.unit == 4;
  if (step.kind == StepKind::Fill && (!is_unit || step.bytes % step.unit != 0))
    return fail(
        ErrorCode::OutOfRange, About{"fill"},
        "a fill of the plan repeats a value whose size is not 1, 2 or 4 bytes or does not divide "
        "the filled bytes");
  return check_place(step.to, step.bytes, plan, w);
}

Result<> check_map(const PlanTensorMap& map, const Plan& plan, const Workload& w) {
  constexpr std::size_t kMostDimensions = 5;
  const std::size_t rank = map.sizes.size();
  if (rank < 1 || rank > kMostDimensions || map.stride_bytes.size() + 1 != rank ||
      map.box.size() != rank || map.element_strides.size() != rank)
    return fail(ErrorCode::Contradiction, About{"dimensions of a tensor map"},
                "the sizes, strides and box of a tensor map differ in their number of dimensions");
  return check_place(map.base, 0, plan, w);
}

Result<> check_plan(const Plan& plan, const Workload& w) {
  if (plan.steps.size() > kMostPlanSteps)
    return fail(ErrorCode::TooLarge, About{"steps"},
                fmt::format("the plan has more than {} steps", kMostPlanSteps));
  std::optional<std::int64_t> bytes = 0;
  for (const PlanWorkspace& workspace : plan.workspaces) {
    bytes = product(workspace.bytes, 1, *bytes);
    if (!bytes)
      return fail(ErrorCode::TooLarge, About{"workspaces"},
                  "the workspaces of the plan together are larger than any memory");
  }
  for (const PlanTensorMap& map : plan.tensor_maps) KW_TRY(check_map(map, plan, w));
  for (std::size_t i = 0; i < plan.steps.size(); ++i)
    if (auto checked = check_step(plan.steps[i], i, plan, w); !checked)
      return below(std::move(checked), fmt::format(".steps[{}]", i));
  return {};
}

Result<> check_plans_of(const EvaluationRequest& request) {
  for (const RolePlan& role : request.plans) {
    const auto w = std::ranges::find(request.workloads, role.workload, &Workload::name);
    if (w == request.workloads.end())
      return fail(ErrorCode::NotFound, About{role.workload},
                  fmt::format("the request has a plan for workload '{}', but no such workload",
                              role.workload));
    if (auto checked = check_plan(role.plan, is_truth_role(role.role) ? at_double(*w) : *w);
        !checked)
      return below(std::move(checked), ".plans." + role.role + "." + role.workload);
  }
  return {};
}

Result<> check_shares(const MeasureRequest& m) {
  constexpr int kMostPairs = 10'000'000;
  if (m.fidelity > 1 || m.checked_share > 1)
    return fail(ErrorCode::OutOfRange, About{"share"}, "a share above 1");
  if (m.pairs > kMostPairs)
    return fail(ErrorCode::OutOfRange, About{"pairs"},
                fmt::format("the request asks for more than {} timed pairs", kMostPairs));
  return {};
}

// The functions below check results.

/// Whether a median lies between the least and the greatest value, where rounding may move it a
/// little. `most` 0: no upper bound.
bool lies_among(double value, double least, double most) {
  constexpr double kSlack = 1 + 1e-6;
  return value * kSlack >= least && (most == 0 || value <= most * kSlack);
}

Result<> check_speedup(const Speedup& s) {
  if (s.value > kMostSpeedup || s.high > kMostSpeedup)
    return fail(ErrorCode::OutOfRange, About{"speedup"},
                fmt::format("the speedup of {:g}x is more than any kernel can gain",
                            std::max(s.value, s.high)));
  if (s.confidence > 1)
    return fail(ErrorCode::OutOfRange, About{"confidence"}, "a confidence above 1");
  const bool has_interval = s.low != 0 || s.high != 0;
  if (has_interval && !lies_among(s.value, s.low, s.high))
    return fail(
        ErrorCode::Contradiction, About{"interval"},
        fmt::format("the speedup of {:g}x lies outside its own confidence interval {:g}–{:g}",
                    s.value, s.low, s.high));
  if (s.value == 0 && (has_interval || s.is_faster))
    return fail(ErrorCode::Contradiction, About{"no value"},
                "the speedup claims an interval or a win, but has no measured value");
  return {};
}

Result<> check_result(const WorkloadResult& w) {
  KW_TRY(below(check_speedup(w.speedup), ".speedup"));
  if (w.checked_share > 1 || w.miss_probability > 1)
    return fail(ErrorCode::OutOfRange, About{"share"}, "a share above 1");
  if (w.speedup.value == 0 || w.samples.empty()) return {};
  double least = HUGE_VAL, most = 0;
  for (const Sample& s : w.samples) {
    if (!(s.candidate_ns > 0 && s.opponent_ns > 0))
      return fail(ErrorCode::OutOfRange, About{"samples"},
                  "a timing sample has a time that is not above 0 ns");
    const double ratio = s.opponent_ns / s.candidate_ns;
    least = std::min(least, ratio), most = std::max(most, ratio);
  }
  if (!lies_among(w.speedup.value, least, most))
    return fail(
        ErrorCode::Contradiction, About{"samples"},
        fmt::format(
            "the speedup of {:g}x contradicts its timing samples, whose ratios lie in {:g} to {:g}",
            w.speedup.value, least, most));
  return {};
}

Result<> check_results(const Evaluation& e) {
  for (const WorkloadResult& w : e.workloads)
    if (auto checked = check_result(w); !checked)
      return below(std::move(checked), ".workloads." + w.name);
  return below(check_speedup(e.speedup), ".speedup");
}

}  // namespace

Result<> check_request(const EvaluationRequest& request) {
  const auto check = [&]() -> Result<> {
    KW_TRY(check_numbers("", request));
    KW_TRY(below(check_shares(request.measure), ".measure"));
    for (const Workload& w : request.workloads)
      if (auto checked = check_workload(w); !checked)
        return below(std::move(checked), ".workloads." + w.name);
    return check_plans_of(request);
  };
  return named(check(), "request");
}

Result<> check_evaluation(const Evaluation& evaluation) {
  const auto check = [&]() -> Result<> {
    KW_TRY(check_numbers("", evaluation));
    return check_results(evaluation);
  };
  return named(check(), "evaluation");
}

Result<> check_facts(const DeviceFacts& facts) { return named(check_numbers("", facts), "device"); }

Result<> check_unit(const BuildUnit& unit) { return named(check_numbers("", unit), "unit"); }

}  // namespace kw
