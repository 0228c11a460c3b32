// Reads the section `tensors` of task.yaml.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "base/with_nearest.h"
#include "task/parse.h"
#include "task/values.h"

namespace kw::task {
namespace {

constexpr std::size_t kMaxRank = 8;
constexpr std::int64_t kMaxAlignment = 4096;  // bytes of a memory page

std::vector<Formula> read_shape(FileReport& report, const Yaml& node,
                                std::span<const std::string> known) {
  std::vector<Formula> shape;
  for (const Yaml& item : read_list(report, node, "shape"))
    if (auto formula = read_formula(report, item, "shape", known))
      shape.push_back(std::move(*formula));
  if (node.items.empty() || node.items.size() > kMaxRank)
    report.add(node.place, About{"shape"}, fmt::format("a shape has 1 to {} dimensions", kMaxRank));
  return shape;
}

RangeSpec read_range(FileReport& report, const Yaml& node, std::span<const std::string> known) {
  RangeSpec range;
  if (node.kind == Yaml::Kind::Sequence) {
    if (node.items.size() != 2) {
      report.add(node.place, About{"range"},
                 "a range of indices is written [lo, hi], with hi excluded");
      return range;
    }
    range.lo = read_formula(report, node.items[0], "range", known);
    range.hi = read_formula(report, node.items[1], "range", known);
  } else if (node.scalar != "all") {
    range.lo = read_formula(report, node, "index", known);
  }
  return range;
}

void read_compare(FileReport& report, const Yaml& node, std::span<const std::string> known,
                  TensorSpec& tensor) {
  if (node.kind == Yaml::Kind::Scalar) {
    constexpr std::array<std::string_view, 2> kWords = {"whole", "none"};
    const auto word = read_choice(report, node, "compare", kWords);
    tensor.is_whole_compared = word == 0u;
    return;
  }
  tensor.is_whole_compared = false;
  for (const Yaml& item : read_list(report, node, "compare")) {
    std::vector<RangeSpec> region;
    for (const Yaml& part : read_list(report, item, "region"))
      region.push_back(read_range(report, part, known));
    if (region.size() != tensor.shape.size())
      report.add(
          item.place, About{"compared dimensions"},
          fmt::format("the compared region has {} ranges, and the tensor's shape has {} dimensions",
                      region.size(), tensor.shape.size()));
    tensor.regions.push_back(std::move(region));
  }
  if (node.items.empty())
    report.add(node.place, About{"compare: empty"},
               "the list of compared regions is empty; write 'none' to compare nothing");
}

void read_alignment(FileReport& report, const Yaml& node, TensorSpec& tensor) {
  const auto alignment = read_integer(report, node, "align");
  if (!alignment) return;
  if (*alignment < 1 || *alignment > kMaxAlignment ||
      !std::has_single_bit(static_cast<std::uint64_t>(*alignment)))
    report.add(node.place, About{fmt::format("align: {}", *alignment)},
               fmt::format("align must be a power of two of at most {}, not {}", kMaxAlignment,
                           *alignment));
  tensor.alignment = *alignment;
}

void read_initial(FileReport& report, const Section& section, TensorSpec& tensor) {
  tensor.initial = tensor.role == TensorRole::Out ? Initial::Poison : Initial::Values;
  const Yaml* node = section.find("initial");
  if (node == nullptr) return;
  const auto initial = read_enum<Initial>(report, *node, "initial");
  if (!initial) return;
  tensor.initial = *initial;
  const bool is_out = tensor.role == TensorRole::Out;
  const bool fits = *initial == Initial::Values   ? !is_out
                    : *initial == Initial::Poison ? is_out
                                                  : tensor.role != TensorRole::In;
  if (!fits)
    report.add(node->place, About{fmt::format("initial: {}", kw::name_of(*initial))},
               fmt::format("a tensor with role {} cannot start as {}", kw::name_of(tensor.role),
                           kw::name_of(*initial)));
}

TensorSpec read_tensor(FileReport& report, const Yaml& key, const Yaml& node,
                       const Definition& definition) {
  const auto known = formula_names(definition);
  TensorSpec tensor;
  tensor.name = read_identifier(report, key, "tensor").value_or("");
  tensor.place = key.place;
  const Section section(
      report, node, fmt::format("tensor '{}'", tensor.name),
      {"dtype", "shape", "role", "pitch", "align", "values", "initial", "compare"});
  if (const Yaml* dtype = section.require("dtype"))
    tensor.dtype = read_enum<Dtype>(report, *dtype, "dtype").value_or(Dtype::F32);
  if (is_real(tensor.dtype)) tensor.dtype = definition.real.value_or(tensor.dtype);
  if (const Yaml* shape = section.require("shape"))
    tensor.shape = read_shape(report, *shape, known);
  if (const Yaml* role = section.require("role"))
    tensor.role = read_enum<TensorRole>(report, *role, "role").value_or(TensorRole::In);
  if (const Yaml* pitch = section.find("pitch"))
    tensor.pitch = read_formula(report, *pitch, "pitch", known);
  if (const Yaml* align = section.find("align")) read_alignment(report, *align, tensor);
  read_initial(report, section, tensor);
  tensor.values = default_values(tensor.dtype);
  if (const Yaml* values = section.find("values")) {
    if (tensor.initial != Initial::Values)
      report.add(values->place, About{fmt::format("{}: values", tensor.name)},
                 fmt::format("'{}' starts as {}, so it has no values", tensor.name,
                             kw::name_of(tensor.initial)));
    if (auto spec = read_values(report, *values, tensor.dtype, known, definition.scalars))
      tensor.values = std::move(*spec);
  }
  tensor.is_whole_compared = tensor.role != TensorRole::In;
  if (const Yaml* compare = section.find("compare")) {
    if (tensor.role == TensorRole::In)
      report.add(compare->place, About{"compare: role in"},
                 "this tensor has role 'in'; only tensors of role out and inout can be compared");
    read_compare(report, *compare, known, tensor);
  }
  return tensor;
}

}  // namespace

void parse_tensors(FileReport& report, const Yaml& node, Definition& definition) {
  for (const auto& [key, value] : read_entries(report, node, "tensors"))
    definition.tensors.push_back(read_tensor(report, key, value, definition));
  bool is_any_compared = false;
  for (const auto& tensor : definition.tensors)
    is_any_compared = is_any_compared || tensor.is_whole_compared || !tensor.regions.empty();
  if (!is_any_compared)
    report.add(node.place, About{"compared tensor"},
               "the task compares no tensor, so no answer could be wrong");
}

void read_value_overrides(FileReport& report, const Yaml& node, const Definition& definition,
                          std::map<std::string, ValuesSpec>& values) {
  const auto known = formula_names(definition);
  std::vector<std::string> tensors;
  for (const auto& tensor : definition.tensors) tensors.push_back(tensor.name);
  for (const auto& [key, value] : read_entries(report, node, "values")) {
    const auto found = std::ranges::find(definition.tensors, key.scalar, &TensorSpec::name);
    if (found == definition.tensors.end()) {
      report.add(key.place,
                 About{fmt::format("tensor {}", with_nearest(sanitise(key.scalar, 40), tensors))},
                 fmt::format("the task has no tensor named '{}'{}", sanitise(key.scalar, 40),
                             suggestion(key.scalar, tensors)));
    } else if (found->initial != Initial::Values) {
      report.add(key.place, About{fmt::format("{}: values", key.scalar)},
                 fmt::format("'{}' starts as {}, so it has no values", key.scalar,
                             kw::name_of(found->initial)));
    } else if (auto spec = read_values(report, value, found->dtype, known, definition.scalars)) {
      values[key.scalar] = std::move(*spec);
    }
  }
}

void parse_timed(FileReport& report, const Yaml& node, Definition& definition) {
  const Section section(report, node, "timed", {"values", "exact", "within"});
  if (const Yaml* values = section.require("values"))
    read_value_overrides(report, *values, definition, definition.timed.values);
  const Yaml* exact = section.find("exact");
  if (const Yaml* within = section.find("within")) {
    definition.timed.within = read_number(report, *within, "within").value_or(0.5);
    if (exact == nullptr)
      report.add(within->place, About{"within: exact"},
                 "'within' says how far off exact elements may be, so 'exact' is needed too");
    if (definition.timed.within <= 0)
      report.add(within->place, About{"within: 0"}, "'within' must be above 0");
  }
  if (exact == nullptr) return;
  constexpr std::array<std::string_view, 3> kWords = {"none", "planted", "all"};
  const auto word = read_choice(report, *exact, "exact", kWords);
  definition.timed.exact = static_cast<TimedSpec::Exact>(word.value_or(0));
  const GateKind gate = definition.task.gate.kind;
  if (definition.timed.exact == TimedSpec::Exact::Planted && gate != GateKind::Dot)
    report.add(exact->place, About{"exact: planted"},
               "'planted' recognises exact elements by the magnitude of the gate 'dot', which this "
               "task does not have; use all or none");
  if (definition.timed.exact == TimedSpec::Exact::All && gate == GateKind::Exact)
    report.add(
        exact->place, About{"exact: all"},
        "'exact: all' has no effect with gate 'exact', for which every element must be exact");
}

}  // namespace kw::task
