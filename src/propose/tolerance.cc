// A sentence for each gate that applies to the outputs.
// SPDX-License-Identifier: Apache-2.0
#include "propose/tolerance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/contains.h"
#include "base/text.h"
#include "propose/describe.h"

namespace kw::propose {
namespace {

/// The types of the outputs that are no integers, each once.
std::vector<Dtype> real_outputs(const task::Definition& definition) {
  std::vector<Dtype> types;
  for (const Parameter& p : definition.task.signature)
    if (p.is_tensor && p.role != TensorRole::In && is_real(p.dtype) && !contains(types, p.dtype))
      types.push_back(p.dtype);
  return types;
}

bool has_whole_outputs(const task::Definition& definition) {
  return std::ranges::any_of(definition.task.signature, [](const Parameter& p) {
    return p.is_tensor && p.role != TensorRole::In && !is_real(p.dtype);
  });
}

/// "2^-24" for a power of two, else the number.
std::string power_text(double value) {
  int exponent = 0;
  return std::frexp(value, &exponent) == 0.5 ? fmt::format("2^{}", exponent - 1)
                                             : fmt::format("{:g}", value);
}

/// Half the distance from 1 to the next number of a type: "2^-24" for float.
std::string roundoff_text(Dtype dtype) { return fmt::format("2^-{}", significand_bits(dtype)); }

/// "u = 2^-24", or with a value for each type of the outputs where they have several.
std::string unit_text(const std::vector<Dtype>& types) {
  std::vector<std::string> values;
  for (const Dtype dtype : types)
    values.push_back(types.size() == 1
                         ? roundoff_text(dtype)
                         : fmt::format("{} for {}", roundoff_text(dtype), type_of(dtype)));
  return "u = " + join(values, ", ");
}

/// Half of float16's smallest number, which the gates of elements allow besides.
std::string coarsest_words(const std::vector<Dtype>& types) {
  return contains(types, Dtype::F16)
             ? " Below 2^-14, where the distance between numbers of float16 no longer shrinks, "
               "2^-25 is allowed besides."
             : "";
}

/// The gate of sums, as referee/gate.h applies it: sums of the 16-bit types are held to the
/// rounding of float, and their results to that of their own type.
std::string sum_words(const task::Definition& definition, const std::vector<Dtype>& types) {
  const Gate& gate = definition.task.gate;
  const bool is_summed_in_float = std::ranges::any_of(types, is_half);
  const std::string length = definition.dot_length ? definition.dot_length->expr.text() : "";
  const bool has_length = length != "1";
  const std::string unit = is_summed_in_float ? roundoff_text(Dtype::F32) : "u";
  // The factor of a gate whose errors are not those of float sums is a whole number of its units.
  constexpr double kLargestFactor = 1024;
  const std::string size = gate.scale > 0 ? fmt::format("(S + {:g})", gate.scale) : "S";
  std::string bound = fmt::format("{:g}{} {} {}", gate.c, has_length ? " sqrt(k)" : "", unit, size);
  const bool is_power = is_summed_in_float && !has_length && gate.c > kLargestFactor;
  if (is_power) bound = power_text(gate.c * unit_roundoff(Dtype::F32)) + " " + size;
  std::string words = fmt::format(
      "Each element may differ from the float64 truth by at most {} + u |truth|. Here ", bound);
  const bool has_own_size = !definition.magnitude.empty();
  if (has_length)
    words +=
        fmt::format("k is {}{}, ", length.empty() ? "" : "`" + length + "`, ",
                    has_own_size ? "the length of the sums" : "the number of products in a sum");
  words +=
      fmt::format("S is {}, ", has_own_size ? definition.magnitude
                                            : "the sum of the absolute values of these products");
  if (is_summed_in_float && !is_power)
    words += fmt::format(
        "{} is the rounding of a float, in which sums belong, and {} is that of the "
        "result's type.",
        unit, unit_text(types));
  else
    words += fmt::format("and {} is half the distance from 1 to the next number of the type.",
                         unit_text(types));
  return words + coarsest_words(types);
}

std::string gate_words(const task::Definition& definition, const std::vector<Dtype>& types) {
  const Gate& gate = definition.task.gate;
  if (gate.kind == GateKind::Dot) return sum_words(definition, types);
  if (gate.kind == GateKind::Field)
    return fmt::format(
        "Relative L2 difference from the float64 truth at most {:g}, largest difference at most "
        "{:g} of the largest truth.",
        gate.l2, gate.max);
  const std::string size = gate.scale > 0 ? fmt::format("(|truth| + {:g})", gate.scale) : "|truth|";
  return fmt::format(
             "Each element may differ from the float64 truth by at most {:g} u {}, where {} is "
             "half "
             "the distance from 1 to the next number of the type.",
             gate.c, size, unit_text(types)) +
         coarsest_words(types);
}

/// The second gate. In the 16-bit types nobody sums, so one rounding stands for the reference.
std::string rms_words(const Gate& gate, const std::vector<Dtype>& types) {
  return fmt::format(
      "The RMS error may be at most {:g} times that of {}, which arithmetic of fewer bits does not "
      "reach.",
      gate.rms_factor,
      std::ranges::any_of(types, is_half) ? "rounding the truth once to the type of the result"
                                          : "the reference at the task's type");
}

/// What timed inputs make exact, where the bound of long sums alone would hide a missing element.
std::string exact_words(const task::Definition& definition, const std::vector<Dtype>& types) {
  using Exact = task::TimedSpec::Exact;
  const task::TimedSpec& timed = definition.timed;
  if (timed.exact == Exact::None || types.empty()) return {};
  const std::string most = power_text(timed.within * grid_unit(types.front()));
  if (timed.exact == Exact::All)
    return fmt::format(
        "Timed inputs are such that every order of summing is exact: there no element may differ "
        "by "
        "more than {}, and that is the bound that binds.",
        most);
  return fmt::format(
      "Timed inputs hold a few lines of such numbers that elements are exact in any order of "
      "summing: where S is at most 8 (or k / 16, if that is less), no element may differ by more "
      "than {}.",
      most);
}

}  // namespace

bool has_rounding(const task::Definition& task) {
  return task.task.gate.kind != GateKind::Exact && !real_outputs(task).empty();
}

std::string describe_tolerance(const task::Definition& definition) {
  const std::vector<Dtype> types = real_outputs(definition);
  if (types.empty()) return "Every integer of the outputs must be right.";
  if (!has_rounding(definition))
    return "Every bit of the outputs must be right: no error of rounding is allowed.";
  const Gate& gate = definition.task.gate;
  std::string words = gate_words(definition, types);
  if (gate.rms_factor > 0) words += " " + rms_words(gate, types);
  if (const std::string exact = exact_words(definition, types); !exact.empty())
    words += " " + exact;
  if (has_whole_outputs(definition))
    words += " Integers among the outputs must be right in every bit.";
  return words +
         " All inputs are finite; infinities and NaN must stand where the truth has them and "
         "nowhere else.";
}

}  // namespace kw::propose
