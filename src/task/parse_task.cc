// Reads task.yaml: names, scalars, signature, work, goals and restrictions.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/contains.h"
#include "base/foreign_text.h"
#include "base/with_nearest.h"
#include "task/device_names.h"
#include "task/narrowed.h"
#include "task/parse.h"

namespace kw::task {
namespace {

constexpr std::size_t kMaxArguments = 64;

constexpr auto kFamilies = std::to_array<std::string_view>(
    {"elementwise", "reduction", "normalization", "matmul", "stencil", "transpose", "convolution",
     "scan", "histogram", "attention", "other"});

void read_name(FileReport& report, const Section& section, Task& task) {
  const Yaml* name = section.require("name");
  if (name == nullptr) return;
  task.name = read_identifier(report, *name, "name").value_or("");
  const bool is_lower =
      std::ranges::none_of(task.name, [](char c) { return c >= 'A' && c <= 'Z'; });
  if (!is_lower || task.name.starts_with('_'))
    report.add(name->place, About{"name: letters"},
               "a task's name has lower-case letters, digits and _, a letter first");
}

void read_summary(FileReport& report, const Section& section, Task& task) {
  if (const Yaml* summary = section.find("summary"))
    task.summary = sanitise(read_text(report, *summary, "summary").value_or(""), 400);
}

void read_names(FileReport& report, const Section& section, Task& task) {
  read_name(report, section, task);
  task.function = task.name;
  if (const Yaml* function = section.find("function"))
    task.function = read_identifier(report, *function, "function").value_or("");
  if (task.function == "main" || task.function.starts_with("kw_"))
    report.add((section.find("function") ? section.find("function") : section.find("name"))->place,
               About{fmt::format("function: {}", task.function)},
               fmt::format("the function cannot be named '{}'", task.function));
  task.family = "other";
  if (const Yaml* family = section.find("family"))
    if (const auto index = read_choice(report, *family, "family", kFamilies))
      task.family = kFamilies[*index];
  read_summary(report, section, task);
}

void read_dims(FileReport& report, const Section& section, Definition& definition) {
  static const std::vector<std::string> kTaken = {"name", "for", "values", "scalars"};
  if (const Yaml* dims = section.require("dims"))
    for (const Yaml& item : read_list(report, *dims, "dims")) {
      const auto name = read_identifier(report, item, "dim");
      if (!name) continue;
      if (contains(definition.dims, *name))
        report.add(item.place, About{fmt::format("dim: twice {}", *name)},
                   fmt::format("duplicate dim '{}'", *name));
      if (contains(kTaken, *name) || *name == "all")
        report.add(item.place, About{fmt::format("dim: {}", *name)},
                   fmt::format("a dim cannot be named '{}'", *name));
      definition.dims.push_back(*name);
    }
  const Yaml* lets = section.find("let");
  if (lets == nullptr) return;
  for (const auto& [key, value] : read_entries(report, *lets, "let")) {
    const auto name = read_identifier(report, key, "let");
    if (!name) continue;
    const auto known = formula_names(definition);
    if (contains(known, *name))
      report.add(key.place, About{fmt::format("let: twice {}", *name)},
                 fmt::format("the name '{}' is given twice in the task", *name));
    if (auto formula = read_formula(report, value, *name, known))
      definition.lets.push_back({*name, std::move(*formula)});
  }
}

Dtype read_scalar_dtype(FileReport& report, const Yaml& node) {
  const Dtype dtype = read_enum<Dtype>(report, node, "dtype").value_or(Dtype::I32);
  if (is_half(dtype))
    report.add(node.place, About{fmt::format("scalar: {}", kw::name_of(dtype))},
               fmt::format("a scalar cannot have the type {}; use f32", kw::name_of(dtype)));
  return dtype;
}

void read_scalars(FileReport& report, const Yaml& node, Definition& definition) {
  const auto known = formula_names(definition);
  for (const auto& [key, value] : read_entries(report, node, "scalars")) {
    ScalarSpec scalar;
    scalar.name = read_identifier(report, key, "scalar").value_or("");
    const Section section(report, value, fmt::format("scalar '{}'", scalar.name),
                          {"dtype", "value"});
    if (const Yaml* dtype = section.require("dtype"))
      scalar.dtype = read_scalar_dtype(report, *dtype);
    if (const Yaml* given = section.find("value")) {
      if (contains(definition.dims, scalar.name))
        report.add(
            given->place, About{fmt::format("{}: value of the dim", scalar.name)},
            fmt::format(
                "the scalar '{}' has the value of the dim with this name, so it needs no value",
                scalar.name));
      read_scalar_value(report, *given, known, scalar);
    } else if (is_real(scalar.dtype) || !contains(known, scalar.name)) {
      report.add(
          key.place, About{fmt::format("{}: no value", scalar.name)},
          fmt::format("the scalar '{}' has neither a value nor a dim of its name", scalar.name));
    } else {
      scalar.integer = {Expr::parse(scalar.name).value_or(Expr()), key.place};
    }
    definition.scalars.push_back(std::move(scalar));
  }
}

/// A parameter for every scalar and tensor, in the order of a task without a `signature`.
std::vector<Parameter> all_parameters(const Definition& definition) {
  std::vector<Parameter> all;
  for (const auto& t : definition.tensors) all.push_back({t.name, true, t.dtype, t.role});
  for (const auto& s : definition.scalars) all.push_back({s.name, false, s.dtype, TensorRole::In});
  return all;
}

/// Reads the signature: the tensors and scalars that the task's function takes, in order.
void read_arguments(FileReport& report, const Yaml& node, Definition& definition) {
  auto& signature = definition.task.signature;
  signature.clear();
  const auto all = all_parameters(definition);
  std::vector<std::string> known;
  for (const auto& parameter : all) known.push_back(parameter.name);
  for (const Yaml& item : read_list(report, node, "signature")) {
    const auto name = read_text(report, item, "argument");
    if (!name) continue;
    const auto found = std::ranges::find(all, *name, &Parameter::name);
    if (found == all.end())
      report.add(item.place,
                 About{fmt::format("signature: {}", with_nearest(sanitise(*name, 40), known))},
                 fmt::format("the signature names '{}', which is no tensor or scalar{}",
                             sanitise(*name, 40), suggestion(*name, known)));
    else if (std::ranges::find(signature, *name, &Parameter::name) != signature.end())
      report.add(item.place, About{fmt::format("signature: twice {}", *name)},
                 fmt::format("the signature names '{}' twice", *name));
    else
      signature.push_back(*found);
  }
  for (const auto& tensor : definition.tensors)
    if (std::ranges::find(signature, tensor.name, &Parameter::name) == signature.end())
      report.add(node.place, About{fmt::format("signature: lacks {}", tensor.name)},
                 fmt::format("the signature lacks the tensor '{}'", tensor.name));
  if (signature.size() > kMaxArguments)
    report.add(node.place, About{fmt::format("signature: at most {}", kMaxArguments)},
               fmt::format("the signature has more than {} arguments", kMaxArguments));
}

void read_signature(FileReport& report, const Section& section, Definition& definition) {
  const auto all = all_parameters(definition);
  for (const auto& tensor : definition.tensors)
    for (const auto& scalar : definition.scalars)
      if (tensor.name == scalar.name)
        report.add(tensor.place, About{fmt::format("tensor and scalar {}", tensor.name)},
                   fmt::format("the name '{}' is given to a tensor and to a scalar", tensor.name));
  const auto first_real =
      std::ranges::find_if(all, [](const Parameter& p) { return is_real(p.dtype); });
  for (const auto& tensor : definition.tensors)
    if (is_real(tensor.dtype) && tensor.dtype != first_real->dtype)
      report.add(tensor.place, About{fmt::format("{}: {}", tensor.name, kw::name_of(tensor.dtype))},
                 fmt::format("'{}' is {} and '{}' is {}, but the reference has one type Real only",
                             tensor.name, kw::name_of(tensor.dtype), first_real->name,
                             kw::name_of(first_real->dtype)));
  if (const Yaml* node = section.find("signature"))
    read_arguments(report, *node, definition);
  else
    definition.task.signature = all;
}

void read_work(FileReport& report, const Section& section, Definition& definition) {
  const Yaml* node = section.require("work");
  if (node == nullptr) return;
  const auto known = formula_names(definition);
  const Section work(report, *node, "work", {"floor", "nominal"});
  const auto read = [&](const Section& part, std::string_view key, Formula& formula) {
    if (const Yaml* value = part.require(key))
      if (auto given = read_formula(report, *value, key, known)) formula = std::move(*given);
  };
  if (const Yaml* floor = work.require("floor")) {
    const Section part(report, *floor, "floor", {"bytes", "flops"});
    read(part, "bytes", definition.work.floor_bytes);
    read(part, "flops", definition.work.floor_flops);
  }
  if (const Yaml* nominal = work.require("nominal")) {
    const Section part(report, *nominal, "nominal",
                       {"read_bytes", "write_bytes", "flops", "items"});
    read(part, "read_bytes", definition.work.read_bytes);
    read(part, "write_bytes", definition.work.write_bytes);
    read(part, "flops", definition.work.flops);
    read(part, "items", definition.work.items);
  }
}

void read_goals(FileReport& report, const Section& section, Goals& goals) {
  const Yaml* node = section.find("goals");
  if (node == nullptr) return;
  const Section keys(report, *node, "goals", {"time_ns", "speedup", "roof"});
  const auto read = [&](std::string_view key, std::optional<double>& goal) {
    const Yaml* value = keys.find(key);
    if (value == nullptr) return;
    goal = read_number(report, *value, key);
    if (goal && *goal <= 0)
      report.add(value->place, About{fmt::format("{}: not above 0", key)},
                 fmt::format("the goal {} must be above 0", key));
  };
  read("time_ns", goals.time_ns);
  read("speedup", goals.speedup);
  read("roof", goals.roof);
  if (goals.roof && *goals.roof > 1)
    report.add(keys.find("roof")->place, About{"roof: above 1"},
               "the goal 'roof' is a fraction of the roofline, at most 1");
}

// The range that ptxas accepts for -maxrregcount; 255 registers are the most that a thread can
// have.
constexpr std::int64_t kLeastRegisters = 16;
constexpr std::int64_t kMostRegisters = 255;
// The largest stack frame, in bytes of local memory, that the trusted kernels of the jailed process
// overwrite between calls.
constexpr std::int64_t kMostLocalBytes = 32 << 10;

void read_restrictions(FileReport& report, const Section& section, Restrictions& restrictions) {
  restrictions.options = {"fast_math"};
  const Yaml* node = section.find("restrictions");
  if (node == nullptr) return;
  const Section keys(report, *node, "restrictions",
                     {"libraries", "options", "deterministic", "workspace_bytes", "registers",
                      "local_bytes", "archs"});
  const auto read_words = [&](std::string_view key, std::span<const std::string_view> known,
                              std::vector<std::string>& words) {
    const Yaml* list = keys.find(key);
    if (list == nullptr) return;
    words.clear();
    for (const Yaml& item : read_list(report, *list, key))
      if (const auto index = read_choice(report, item, key, known))
        words.emplace_back(known[*index]);
  };
  static constexpr auto kLibraries = std::to_array<std::string_view>({"openblas"});
  static constexpr auto kOptions =
      std::to_array<std::string_view>({"fast_math", "unroll_loops", "O2"});
  read_words("libraries", kLibraries, restrictions.libraries);
  read_words("options", kOptions, restrictions.options);
  if (const Yaml* flag = keys.find("deterministic"))
    restrictions.deterministic = read_flag(report, *flag, "deterministic").value_or(false);
  if (const Yaml* bytes = keys.find("workspace_bytes")) {
    restrictions.workspace_bytes = read_integer(report, *bytes, "workspace_bytes").value_or(0);
    if (restrictions.workspace_bytes < 0)
      report.add(bytes->place, About{"workspace_bytes"}, "workspace_bytes must not be negative");
  }
  if (const Yaml* most = keys.find("registers")) {
    const std::int64_t registers =
        read_integer(report, *most, "registers").value_or(kLeastRegisters);
    if (registers < kLeastRegisters || registers > kMostRegisters)
      report.add(most->place, About{"registers"},
                 fmt::format("the registers of a thread must be {} to {}", kLeastRegisters,
                             kMostRegisters));
    restrictions.registers = static_cast<int>(registers);
  }
  if (const Yaml* most = keys.find("local_bytes")) {
    const std::int64_t bytes = read_integer(report, *most, "local_bytes").value_or(1);
    if (bytes < 1 || bytes > kMostLocalBytes)
      report.add(most->place, About{"local_bytes"},
                 fmt::format("the local_bytes of a thread must be 1 to {}", kMostLocalBytes));
    restrictions.local_bytes = bytes;
  }
  std::vector<std::string_view> archs;
  for (const std::string_view name : device_names())
    if (name.starts_with("sm_")) archs.push_back(name);
  read_words("archs", archs, restrictions.archs);
}

void read_excused(FileReport& report, const Section& section, std::vector<Excuse>& excused) {
  const Yaml* node = section.find("excused");
  if (node == nullptr) return;
  for (const Yaml& item : read_list(report, *node, "excused")) {
    const Section keys(report, item, "an excuse", {"mutant", "on", "why"});
    Excuse& excuse = excused.emplace_back();
    if (const Yaml* mutant = keys.require("mutant"))
      excuse.mutant = read_text(report, *mutant, "mutant").value_or("");
    if (const Yaml* on = keys.find("on"))
      for (const Yaml& name : read_list(report, *on, "on"))
        excuse.on.push_back(read_identifier(report, name, "workload").value_or(""));
    if (const Yaml* why = keys.require("why"))
      excuse.why = sanitise(read_text(report, *why, "why").value_or(""), 400);
  }
}

/// Reads dims that are constants in a variant, and removes them from the dims of the task on which
/// it is based.
void read_fixed(FileReport& report, const Yaml& node, std::string_view key, Definition& definition,
                std::map<std::string, std::int64_t>& values) {
  for (const auto& [name, value] : read_entries(report, node, key)) {
    const auto dim = std::ranges::find(definition.dims, name.scalar);
    if (dim == definition.dims.end()) {
      report.add(name.place,
                 About{fmt::format("{}: {}", key,
                                   with_nearest(sanitise(name.scalar, 40), definition.dims))},
                 fmt::format("{}: the task that this one is 'like' has no dim '{}'{}", key,
                             sanitise(name.scalar, 40), suggestion(name.scalar, definition.dims)));
      continue;
    }
    const auto constant = read_integer(report, value, name.scalar);
    if (!constant) continue;
    values[name.scalar] = definition.narrowing.fixed[name.scalar] = *constant;
    definition.dims.erase(dim);
    definition.lets.insert(definition.lets.begin(),
                           Let{name.scalar, {Expr::literal(*constant), value.place}});
  }
}

/// Reads the changes by which a variant takes fewer arguments than the task on which it is based:
/// dims that are constants, and a new signature.
void read_narrowing(FileReport& report, const Section& section, Definition& definition) {
  Narrowing& narrowing = definition.narrowing;
  if (const Yaml* fixed = section.find("fixed"))
    read_fixed(report, *fixed, "fixed", definition, narrowing.fixed);
  if (const Yaml* only = section.find("only"))
    read_fixed(report, *only, "only", definition, narrowing.only);
  const Yaml* signature = section.find("signature");
  if (signature == nullptr) return;
  if (narrowing.fixed.empty())
    report.add(signature->place, About{"signature: fixed"},
               "a variant with 'fixed' dims needs a signature of its own");
  if (narrowing.wider.empty()) narrowing.wider = definition.task.signature;
  read_arguments(report, *signature, definition);
  for (const Parameter& argument : narrowing.wider)
    if (!argument.is_tensor && is_real(argument.dtype) &&
        std::ranges::find(definition.task.signature, argument.name, &Parameter::name) ==
            definition.task.signature.end())
      report.add(signature->place, About{fmt::format("signature: lacks {}", argument.name)},
                 fmt::format("the signature lacks the scalar '{}', whose value "
                             "no dim gives",
                             argument.name));
  check_overload(report, signature->place, definition);
}

}  // namespace

std::vector<std::string> formula_names(const Definition& definition) {
  auto names = definition.dims;
  for (const auto& let : definition.lets) names.push_back(let.name);
  return names;
}

bool read_scalar_value(FileReport& report, const Yaml& node, std::span<const std::string> known,
                       ScalarSpec& scalar) {
  if (is_real(scalar.dtype)) {
    const auto value = read_number(report, node, scalar.name);
    const bool fits = value && (scalar.dtype == Dtype::F64 ||
                                std::abs(*value) <= std::numeric_limits<float>::max());
    if (value && !fits)
      report.add(node.place, About{fmt::format("{}: f32", scalar.name)},
                 fmt::format("the value {} does not fit into the type f32", scalar.name));
    // The value is rounded to the type that the candidate receives, so that the reference computes
    // with the same number.
    if (fits)
      scalar.real =
          scalar.dtype == Dtype::F32 ? static_cast<double>(static_cast<float>(*value)) : *value;
    return fits;
  }
  auto formula = read_formula(report, node, scalar.name, known);
  if (!formula) return false;
  scalar.integer = std::move(*formula);
  return true;
}

void parse_task_yaml(FileReport& report, const Yaml& root, Definition& definition) {
  const Section section(
      report, root, "task.yaml",
      {"name", "function", "family", "summary", "code", "truth_of", "dims", "let", "scalars",
       "tensors", "signature", "gate", "rms", "timed", "excused", "work", "goals", "restrictions"});
  if (root.kind != Yaml::Kind::Mapping) return;
  read_names(report, section, definition.task);
  if (const Yaml* code = section.find("code"))
    definition.code = sanitise_line(read_text(report, *code, "code").value_or(""), 200);
  read_dims(report, section, definition);
  if (const Yaml* scalars = section.find("scalars")) read_scalars(report, *scalars, definition);
  if (const Yaml* tensors = section.require("tensors")) parse_tensors(report, *tensors, definition);
  read_signature(report, section, definition);
  parse_gate(report, section, definition);
  parse_rms(report, section, definition.task.gate);
  if (const Yaml* timed = section.find("timed")) parse_timed(report, *timed, definition);
  read_excused(report, section, definition.task.excused);
  read_work(report, section, definition);
  read_goals(report, section, definition.task.goals);
  read_restrictions(report, section, definition.task.restrictions);
}

void parse_variant_dtype(FileReport& report, const Yaml& root, Definition& definition) {
  const Yaml* dtype = root.find("dtype");
  if (dtype == nullptr) return;
  definition.real = read_enum<Dtype>(report, *dtype, "dtype");
  if (definition.real && !is_real(*definition.real))
    report.add(dtype->place, About{fmt::format("dtype: {}", kw::name_of(*definition.real))},
               fmt::format("a variant's dtype must be a floating-point type, not {}",
                           kw::name_of(*definition.real)));
}

void parse_variant_yaml(FileReport& report, const Yaml& root, Definition& definition) {
  const Section section(report, root, "task.yaml of a variant",
                        {"name", "like", "summary", "dtype", "fixed", "only", "signature", "gate",
                         "rms", "excused", "goals"});
  if (root.kind != Yaml::Kind::Mapping) return;
  read_narrowing(report, section, definition);
  read_name(report, section, definition.task);
  read_summary(report, section, definition.task);
  parse_gate_numbers(report, section, definition.task.gate);
  parse_rms(report, section, definition.task.gate);
  read_excused(report, section, definition.task.excused);
  read_goals(report, section, definition.task.goals);
}

}  // namespace kw::task
